// One round, from its first start to its last stop: docs/raw-format.md, "A resolved plan".
#pragma once

#include <vector>

#include "common/error.h"
#include "harness/group_run.h"
#include "harness/run_log.h"
#include "harness/runner.h"
#include "harness/schedule.h"

namespace tare::harness {

struct RoundTask {
  const Plan& plan;
  const PlannedRound& planned;
  int round = 0;
  const std::vector<ArmToRun>& arms;
  const BodyStore& bodies;
};

// How many starts of a progress bar a round is: a sliced one is one.
std::vector<std::string> progress_starts(const PlannedRound& planned);

// Returns with no arm running. Errors: the run folder cannot be written, the upstream is gone. An
// interrupt ends it early and without an error.
Result<void> run_round(const RoundTask& task, const RunnerParts& parts, RunLog& log);

}  // namespace tare::harness
