// The request bodies of a plan, made before the first start, and which of them each request sends.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "harness/plan.h"

namespace tare::harness {

// A body with its hashes. The text of its tool output is dropped: it stands in the body.
struct PreparedBody {
  Body body;
  std::string sha256;
  std::string output_sha256;
  std::int64_t output_bytes = 0;
};

class BodyStore {
 public:
  // `distinct`: how many indexes mode unique sends to a start. Errors: those of make_bodies().
  static Result<BodyStore> make(const Plan& plan, int distinct);

  // The body of a group's `number`th request, from 0, in mode unique; the first one in mode
  // repeated; in mode each the workload begins again after its last body.
  const PreparedBody& of(const Group& group, int number) const;

  // How many measured requests a group has when the plan says `requests`: in mode each its bodies
  // once at least.
  int requests(const Group& group, int requests) const;

  const std::map<std::pair<Task, int>, PreparedBody>& all() const { return bodies_; }

 private:
  std::map<std::pair<Task, int>, PreparedBody> bodies_;
  std::map<Task, int> count_;
};

}  // namespace tare::harness
