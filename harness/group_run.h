// One group on one started arm: warm-up, mark, measured requests, mark. Nothing is hashed, written
// or joined here: that comes after the window (join.h). Called by the runner, from one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/arm_process.h"
#include "harness/body_store.h"
#include "harness/client.h"
#include "harness/plan.h"
#include "harness/records.h"
#include "harness/runner.h"

namespace tare::harness {

struct SentRequest {
  const PreparedBody* body = nullptr;
  Phase phase{};
  int sequence = 0;
  Exchange exchange;
};

// Why a start ends before its plan does.
struct Ending {
  Outcome outcome{};
  std::string reason;
};

struct GroupRun {
  std::vector<SentRequest> sent;  // in order
  // The window; absent when a request ended the start before the second mark.
  struct Window {
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
    Reading begin;
    Reading end;
    std::int64_t harness_cpu_us = 0;
    std::int64_t upstream_cpu_us = 0;
    std::optional<std::int64_t> private_begin_bytes;  // before the warm-up
    std::optional<std::int64_t> private_end_bytes;    // after the window
  };
  std::optional<Window> window;
  std::optional<Ending> ending;
};

struct GroupTarget {
  StartedArm& arm;
  Client& client;
  std::string url;
  Group group;
  bool reset_peak = false;  // the start's first group: the peak counts from after its warm-up
};

GroupRun run_group(const Plan& plan, const BodyStore& bodies, const GroupTarget& target,
                   const RunnerParts& parts);

// "the process is gone" takes a moment to show after its connection broke: waits up to a second.
std::optional<std::string> gone_soon(StartedArm& arm, Clock& clock);

}  // namespace tare::harness
