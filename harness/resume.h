// Going on with a run that was cut off: what its folder says of how far it came. Reads only.
//
// A round is whole when it has a row in rounds.jsonl.zst, which is written last; what else stands
// there of a round under way stays as it is, and the round is carried out anew under a new number.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "common/error.h"
#include "harness/plan.h"
#include "harness/records.h"
#include "harness/runner.h"

namespace tare::harness {

struct CutRun {
  Plan plan;
  std::string started_at;
  std::string arms_json;  // as run.json has them
  RunPoint point;
  std::int64_t last_upstream_request = 0;
};

// `now_ns`: wall clock, for the gap. Errors: usage (no run there, it is complete), invalid (its
// plan is not the one it says, its rounds are not the plan's, a file is damaged before its end).
Result<CutRun> read_cut_run(const std::filesystem::path& folder, std::int64_t now_ns);

// Errors: usage when an arm is not what it was when the run began, with its name.
Result<void> check_same_arms(const CutRun& cut, const std::vector<ArmRecord>& arms);

}  // namespace tare::harness
