#include "analysis/row_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_set>

#include "analysis/bodies.h"

namespace tare::analysis {
namespace {

// arm, SHA-256 of the sent and of the forwarded body
using Pair = std::tuple<std::string_view, std::string_view, std::string_view>;

struct PairHash {
  // A run keeps each text once, so its place stands for it.
  std::size_t operator()(const Pair& pair) const {
    const std::hash<const char*> hash;
    return hash(std::get<0>(pair).data()) ^ (hash(std::get<1>(pair).data()) * 31) ^
           (hash(std::get<2>(pair).data()) * 131);
  }
};

std::set<Pair> pairs_of(const RawRun& run) {
  std::unordered_set<Pair, PairHash> seen;
  std::set<Pair> pairs;
  for (const auto& request : run.requests) {
    if (!request.received_sha256) continue;
    const Pair pair{request.arm, request.sent_sha256, *request.received_sha256};
    if (seen.insert(pair).second) pairs.insert(pair);
  }
  return pairs;
}

// What is counted of a body that is not stored was counted where it was.
bool stored(const RawRun& run, std::string_view sha256) {
  std::error_code ignored;
  return std::filesystem::exists(run.folder / body_path(sha256), ignored);
}

// `expected`: whether a pair must have a row.
template <typename Rows, typename Expected>
void check_pairs(const std::string& name, const std::set<Pair>& pairs, const Rows& rows,
                 Expected expected, std::vector<std::string>& warnings) {
  std::set<Pair> found;
  std::size_t foreign = 0;
  std::size_t again = 0;
  for (const auto& row : rows) {
    const Pair pair{row.arm, row.sent_sha256, row.forwarded_sha256};
    if (!pairs.contains(pair)) {
      ++foreign;
    } else if (!found.insert(pair).second) {
      ++again;
    }
  }
  const auto missing = std::ranges::count_if(
      pairs, [&](const Pair& pair) { return !found.contains(pair) && expected(pair); });
  if (foreign > 0) {
    warnings.push_back(fmt::format("{}: rows of bodies that no request names: {} of {}: left out",
                                   name, foreign, rows.size()));
  }
  if (again > 0) {
    warnings.push_back(fmt::format("{}: rows of bodies that have one already: {}", name, again));
  }
  if (missing > 0) {
    warnings.push_back(
        fmt::format("{}: forwarded bodies without a row: {} of {}: type tare verify DIR", name,
                    missing, pairs.size()));
  }
}

void check_tokens(RawRun& run, const std::set<Pair>& pairs) {
  std::set<std::string_view> bodies;
  for (const auto& row : run.requests) bodies.insert(row.sent_sha256);
  for (const auto& [arm, sent, forwarded] : pairs) bodies.insert(forwarded);
  std::set<std::string_view> counted;
  std::size_t foreign = 0;
  std::size_t again = 0;
  for (const auto& row : run.tokens) {
    if (!bodies.contains(row.sha256)) {
      ++foreign;
    } else if (!counted.insert(row.sha256).second) {
      ++again;
    }
  }
  if (foreign > 0) {
    run.warnings.push_back(
        fmt::format("tokens.jsonl: rows of bodies that no request names: {} of {}: left out",
                    foreign, run.tokens.size()));
  }
  if (again > 0) {
    run.warnings.push_back(
        fmt::format("tokens.jsonl: rows of bodies that have one already: {}", again));
  }
  const auto missing = std::ranges::count_if(
      bodies, [&](auto sha256) { return !counted.contains(sha256) && stored(run, sha256); });
  if (missing > 0) {
    run.warnings.push_back(fmt::format(
        "tokens.jsonl: bodies without a row: {} of {}: tokens are estimates; type tare verify DIR",
        missing, bodies.size()));
  }
}

}  // namespace

void check_rows(RawRun& run) {
  if (!run.decoders_checked && !run.tokens_recorded) return;
  const auto pairs = pairs_of(run);
  if (run.tokens_recorded) check_tokens(run, pairs);
  if (!run.decoders_checked) return;
  std::set<std::string_view> decoded;
  for (const auto& arm : run.info.arms) {
    if (!arm.decoder.empty()) decoded.insert(arm.name);
  }
  check_pairs(
      "fidelity.jsonl", pairs, run.decoded,
      [&](const Pair& pair) { return decoded.contains(std::get<0>(pair)); }, run.warnings);
}

void check_score_rows(const RawRun& run, const FieldRows& rows,
                      std::vector<std::string>& warnings) {
  if (!rows.scored) return;
  check_pairs(
      "scores.jsonl", pairs_of(run), rows.scores,
      [&](const Pair& pair) {
        return stored(run, std::get<1>(pair)) && stored(run, std::get<2>(pair));
      },
      warnings);
}

}  // namespace tare::analysis
