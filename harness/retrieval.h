// What an arm gives back for the markers that it put in the place of text: asked for after a
// group's window, while the arm is still up. One thread.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/arm_process.h"
#include "harness/manifest.h"
#include "harness/records.h"

namespace tare::harness {

struct Marker {
  std::string text;  // as it stands in the body
  std::string key;
};

// The distinct markers in a forwarded body, in order. Errors: invalid expression.
std::vector<Marker> markers_in(std::string_view body, const std::string& expression);

struct Retrieved {
  RetrievedRow row;
  std::string body;  // what came back; empty when nothing did
};

// Asks for what stands behind the markers of forwarded bodies, each marker of the start once.
class Retrieval {
 public:
  Retrieval(const Manifest& manifest, const StartedArm& arm, std::string upstream)
      : manifest_(manifest), arm_(arm), upstream_(std::move(upstream)) {}

  std::vector<Retrieved> of(std::string_view body, const std::string& forwarded_sha256);

 private:
  Retrieved ask(const Retrieve& how, const Marker& marker) const;
  void get(const std::string& path, Retrieved& result) const;
  void run(const std::vector<std::string>& command, const std::string& key,
           Retrieved& result) const;

  const Manifest& manifest_;
  const StartedArm& arm_;
  std::string upstream_;
  std::set<std::string> asked_;
};

}  // namespace tare::harness
