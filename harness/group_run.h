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
  int sequence = 0;  // in its group and phase; in its slice
  Exchange exchange;
};

// Why a start ends before its plan does.
struct Ending {
  Outcome outcome{};
  std::string reason;
};

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

// The requests of a group, or of one slice of it.
struct GroupRun {
  std::vector<SentRequest> sent;  // in order
  std::optional<Window> window;   // absent when a request ended the start before the second mark
  std::optional<Ending> ending;
  std::optional<int> slice;           // from 0; absent: the whole group
  std::optional<int> slice_position;  // from 1
};

struct GroupTarget {
  StartedArm& arm;
  Client& client;
  std::string url;
  Group group;
  bool reset_peak = false;  // the start's first group: the peak counts from after its warm-up
};

// A whole group: warm-up and `requests` measured requests in one window.
// How many indexes mode unique sends to a start.
int distinct_bodies(const Plan& plan);

GroupRun run_group(const Plan& plan, int requests, const BodyStore& bodies,
                   const GroupTarget& target, const RunnerParts& parts);

// A group's warm-up only: no window.
GroupRun warm_up(const Plan& plan, const BodyStore& bodies, const GroupTarget& target,
                 const RunnerParts& parts);

// One slice: docs/raw-format.md, "A sliced round".
GroupRun run_slice(const Plan& plan, int slice, const BodyStore& bodies, const GroupTarget& target,
                   const RunnerParts& parts);

// "the process is gone" takes a moment to show after its connection broke: waits up to a second.
std::optional<std::string> gone_soon(StartedArm& arm, Clock& clock);

}  // namespace tare::harness
