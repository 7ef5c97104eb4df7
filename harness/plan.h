// A plan: what is to be run, written down before. Files: data/plans/NAME.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "harness/workload.h"

namespace tare::harness {

struct Group {
  Task task;
  Mode mode;
};

struct Plan {
  std::string name;
  std::string title;
  int rounds = 3;
  std::vector<std::string> arms;  // the first `rotate` of them rotate by one place a round, the
                                  // rest follow as they stand
  int rotate = 0;
  std::vector<Group> groups;
  int warmups = 5;    // per group and start
  int requests = 40;  // measured, per group and start
  std::uint64_t seed = 1;
  int request_time_limit_s = 60;
  bool any_failure_makes_incomplete = true;
  std::map<std::string, std::vector<std::string>>
      removed_arguments;  // arm -> words taken out of its command
};

// `name_or_path`: a name in `plans_folder` ("published"), or a path to a file. Errors: usage when
// there is none (with the names there are), invalid with every fault's JSON pointer.
Result<Plan> read_plan(std::string_view name_or_path, const std::filesystem::path& plans_folder);

// The resolved plan as JSON with sorted keys, minified: the text whose SHA-256 is the plan's
// identity.
std::string to_json(const Plan& plan);

// The order of arms in each round, from 1: round r starts its rotating part at place r - 1.
std::vector<std::string> arms_of_round(const Plan& plan, int round);

}  // namespace tare::harness
