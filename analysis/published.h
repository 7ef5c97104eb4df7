// Figures and claims that were published, and what a run says of them. Files: data/published.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/results.h"
#include "common/error.h"

namespace tare::analysis {

struct PublishedCell {
  std::string arm;  // as our arms are called
  std::optional<double> mean_ms;
  std::optional<double> median_ms;
  std::optional<double> p95_ms;
  std::optional<double> cpu_ms_per_request;
  std::optional<double> mean_forwarded_bytes;
  std::optional<double> private_bytes;
};

struct PublishedGroup {
  std::string task;
  std::string mode;
  std::optional<double> mean_sent_bytes;
  std::vector<PublishedCell> cells;

  const PublishedCell* find(const std::string& arm) const;
};

struct Claim {
  std::string id;
  std::string kind;  // exact, direction, ratio
  std::string text;
  std::optional<double> value;
  std::map<std::string, double> values;  // by group ("logs/unique") or by arm's published name
};

struct Published {
  std::string source;
  std::string host;
  std::optional<int> warmups;  // per group and start
  std::optional<int> requests;
  std::vector<std::string> limits;               // to be said beside any comparison
  std::map<std::string, std::string> arm_names;  // published name -> ours
  std::vector<PublishedGroup> groups;
  std::vector<Claim> claims;

  // Our name of the arm that was published as `name`.
  std::string arm(const std::string& name) const;
  const PublishedGroup* find(const std::string& task, const std::string& mode) const;
};

// `file_or_folder`: the figures, or a folder that holds them; claims.json and limits.json beside
// them are read when they are there. Errors: usage (nothing there), invalid with its place, io.
Result<Published> read_published(const std::filesystem::path& file_or_folder);

enum class Outcome {
  holds,
  does_not_hold,
  reproduced,      // direction or ratio: see the rounds
  cannot_be_told,  // with the reason
};

// One part of a claim: a group, or an arm.
struct ClaimPart {
  std::string about;
  std::optional<double> published;
  std::vector<double> here;  // one value, or one a round
  Outcome outcome = Outcome::cannot_be_told;
  std::size_t rounds_reproduced = 0;  // with outcome reproduced
  std::size_t rounds = 0;
  std::string because;
};

struct ClaimResult {
  Claim claim;
  Outcome outcome = Outcome::cannot_be_told;
  std::size_t rounds_reproduced = 0;  // rounds in which each part that can be told is reproduced
  std::size_t rounds = 0;
  std::string because;
  std::vector<ClaimPart> parts;
};

struct Comparison {
  Published published;
  std::vector<ClaimResult> claims;
};

Comparison compare_with(const Results& results, const Published& published);

}  // namespace tare::analysis
