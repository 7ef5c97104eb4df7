#include "analysis/run_index.h"

#include <algorithm>
#include <optional>

namespace tare::analysis {
namespace {

// Nothing where each round counts: the published protocol discards none, and its starts stand alone
// where a run ended in the midst of a round. What of it was carried out anew must not count twice.
std::optional<std::set<int>> rounds_that_count(const RawRun& run) {
  const bool sliced = run.info.plan.protocol == "sliced";
  if (!sliced && !was_resumed(run)) return std::nullopt;
  std::set<int> rounds;
  for (const auto& round : run.rounds) {
    if (!round.discarded) rounds.insert(round.round);
  }
  if (!sliced && !run.info.complete && !run.starts.empty())
    rounds.insert(std::ranges::max(run.starts, {}, &StartRow::round).round);
  return rounds;
}

}  // namespace

RunIndex::RunIndex(const RawRun& run) {
  const auto rounds = rounds_that_count(run);
  for (const auto& start : run.starts) {
    if (start.outcome != "ok" || (rounds && !rounds->contains(start.round))) continue;
    counted_[start.start] = start.design;
  }
  // Neighbouring rows are mostly of one start.
  std::int64_t start = -1;
  StartRequests* of_start = nullptr;
  const Design* design = nullptr;
  for (const auto& row : run.requests) {
    if (of_start == nullptr || row.start != start) {
      start = row.start;
      of_start = &requests_[start];
      const auto at = counted_.find(start);
      design = at == counted_.end() ? nullptr : &at->second;
    }
    ++of_start->count;
    if (of_start->first == nullptr || row.sent_ns < of_start->first->sent_ns) {
      of_start->first = &row;
    }
    if (design == nullptr) continue;
    rows_[{*design, row.arm, row.task, row.mode}].requests.push_back(&row);
  }
  for (const auto& row : run.groups) {
    windows_[row.start].push_back(&row);
    const auto at = counted_.find(row.start);
    if (at != counted_.end()) {
      rows_[{at->second, row.arm, row.task, row.mode}].groups.push_back(&row);
    }
  }
}

const IndexedRows& RunIndex::rows(Design design, std::string_view arm, std::string_view task,
                                  std::string_view mode) const {
  static const IndexedRows none;
  const auto at = rows_.find({design, arm, task, mode});
  return at == rows_.end() ? none : at->second;
}

StartRequests RunIndex::requests_of(std::int64_t start) const {
  const auto at = requests_.find(start);
  return at == requests_.end() ? StartRequests{} : at->second;
}

const std::vector<const GroupRow*>& RunIndex::windows_of(std::int64_t start) const {
  static const std::vector<const GroupRow*> none;
  const auto at = windows_.find(start);
  return at == windows_.end() ? none : at->second;
}

}  // namespace tare::analysis
