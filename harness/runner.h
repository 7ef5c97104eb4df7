// Runs a plan: carries out its rounds one after the other and hands every row to the recorder.
//
// Everything that touches the world comes in through RunnerParts, so that its tests wait for
// nothing. run_plan() belongs to one thread and returns with no arm running, whatever happened.
//
// What it decides:
// - A start ends at its first failed request, warm-up or measured, when the plan says that any
//   failure makes the run incomplete: its figures could not be used. Otherwise failures are counted
//   and the start goes on, but for HTTP 429, a time limit that ran out and a process that is gone.
// - The other arms and rounds go on after that: they are results of their own.
// - An arm that never becomes ready, because it is not installed or does not start, is labelled and
//   leaves the run of the others complete. An arm that was ready once and misses planned rows makes
//   the run incomplete.
// - A round of a sliced plan that something beside the arms disturbed (gates.h) is discarded and
//   carried out anew, at most twice; one that was discarded three times makes the run incomplete.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/clock.h"
#include "common/error.h"
#include "harness/arm_process.h"
#include "harness/client.h"
#include "harness/machine.h"
#include "harness/plan.h"
#include "harness/progress.h"
#include "harness/recorder.h"
#include "harness/schedule.h"
#include "harness/upstream.h"

namespace tare::harness {

// A disturbed round is carried out at most twice more.
inline constexpr int most_attempts = 3;

struct RunnerParts {
  Clock& clock;
  ArmStarter& starter;
  Upstream& upstream;
  std::function<std::unique_ptr<Client>()> make_client;
  std::function<std::int64_t()> thread_cpu_us;  // of the calling thread
  Recorder& recorder;
  Progress& progress;
  Machine& machine;
  const std::atomic<int>& interrupt;    // the signal that asked the run to end, or 0
  std::string meter_source = "cgroup";  // where CPU readings come from: "cgroup" or "proc"
  std::optional<std::chrono::milliseconds> sample_every;  // absent: no time series
};

struct ArmToRun {
  Manifest manifest;                         // of a twin under its own name
  std::optional<std::string> twin_of;        // the arm of which this is a second copy
  std::optional<std::string> not_installed;  // the reason
};

struct RunResult {
  std::optional<std::string> incomplete;  // the reason
  Totals totals;
  std::vector<std::string> absent;  // "nginx: not installed: ..." for each arm that never was ready
};

// How far a run has come that was cut off: resume.h. A new run begins with an empty one.
struct RunPoint {
  int rounds_done = 0;  // of rounds_of(plan)
  int last_round = 0;   // highest numbers given so far
  int last_start = 0;
  std::int64_t last_request = 0;
  int attempts = 0;             // of the next planned round, each discarded
  std::optional<int> replaces;  // the last of them
  bool workload_kept = false;
  std::int64_t failed_measured = 0;  // in rounds that count
  Totals totals;
  std::vector<StartRow> starts;     // of rounds that count
  std::vector<std::string> missed;  // planned rounds that were discarded each time
  std::optional<std::string> gap;   // what an event says of the time between
};

// Why a run is incomplete of which a planned round was discarded each time.
std::string missed_reason(int round, std::string_view cause);

// `arms` one for each name of arms_and_twin(plan), in that order. Errors: the run folder cannot be
// written, the upstream is gone. The caller writes run.json's end in both cases.
Result<RunResult> run_plan(const Plan& plan, const std::vector<ArmToRun>& arms,
                           const RunnerParts& parts, const RunPoint& from = {});

}  // namespace tare::harness
