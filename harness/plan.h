// A plan: what is to be run, written down before. Files: data/plans/NAME.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "harness/workloads.h"

namespace tare::harness {

// How the arms of a round are visited: docs/raw-format.md, "A resolved plan".
enum class Protocol {
  published,  // one arm up at a time, each group in one window
  sliced,     // a block of arms up at once, visited in short slices; and some isolated rounds
};

// What only a sliced plan says.
struct Slicing {
  int isolated_rounds = 0;              // rounds with one arm up at a time, spread over the run
  std::optional<std::string> twin_of;   // the arm of which a second copy runs
  int groups = 20;                      // slice groups of each group and round
  int milliseconds = 100;               // a slice lasts this long,
  int least_requests = 1;               // but has as many requests at least,
  int most_requests = 25;               // and as many at most
  int isolated_requests = 40;           // measured, per group and start of an isolated round
  bool state_kept = false;              // an arm finds what its last start left in its state folder
  int block = 6;                        // arms up at once, at most
  std::optional<std::string> subject;   // the arm whose verdicts are given
  std::vector<std::string> references;  // against which
  std::map<std::string, double> margins;  // metric -> relative margin of equivalence
};

struct Plan {
  std::filesystem::path home;  // where relative paths of workloads start; not in the plan's JSON
  std::string name;
  std::string title;
  Protocol protocol = Protocol::published;
  int rounds = 3;
  std::vector<std::string> arms;  // the first `rotate` of them rotate by one place a round, the
                                  // rest follow as they stand
  int rotate = 0;                 // published only
  std::vector<Group> groups;
  int warmups = 5;    // per group and start
  int requests = 40;  // measured, per group and start; published only
  Slicing slicing;    // sliced only
  std::uint64_t seed = 1;
  int request_time_limit_s = 60;
  bool any_failure_makes_incomplete = true;
  std::map<std::string, std::vector<std::string>>
      removed_arguments;  // arm -> words taken out of its command
};

// `name_or_path`: a name in `plans_folder` ("published"), or a path to a file. Errors: usage when
// there is none (with the names there are), invalid with every fault's JSON pointer.
Result<Plan> read_plan(std::string_view name_or_path, const std::filesystem::path& plans_folder);

// A resolved plan, as run.json holds it; `source` begins each fault.
Result<Plan> parse_plan(std::string_view json, std::string_view source);

// The resolved plan as JSON with sorted keys, minified: the text whose SHA-256 is the plan's
// identity.
std::string to_json(const Plan& plan);

// "NAME-twin", the second copy's name; nothing when the plan has none.
std::optional<std::string> twin_name(const Plan& plan);

// The plan's arms and its twin.
std::vector<std::string> arms_and_twin(const Plan& plan);

// The published order of arms in each round, from 1: round r starts its rotating part at place
// r - 1.
std::vector<std::string> arms_of_round(const Plan& plan, int round);

// The arms that are up together, in the plan's order: `direct`, `control` and the twin with its
// original are in every block, the others fill them up as they stand. One arm a block is the
// published protocol's affair: not for it.
std::vector<std::vector<std::string>> blocks_of(const Plan& plan);

}  // namespace tare::harness
