#include "analysis/field_results.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace tare::analysis {
namespace {

constexpr std::size_t most_counter_examples = 3;  // of an arm

using PairKey = std::tuple<std::string_view, std::string_view, std::string_view>;

bool loses(const PairScore& score) {
  return score.said.lines.lost > 0 || score.said.literals.lost > 0 ||
         score.fact_standing().lost > 0 || score.outputs_gone > 0;
}

class Maker {
 public:
  Maker(const RawRun& run, std::shared_ptr<const FieldRows> rows) : run_(run), rows_(*rows) {
    field_.rows = std::move(rows);
    for (const auto& row : rows_.scores) {
      scores_[{row.arm, row.sent_sha256, row.forwarded_sha256}] = &row;
    }
    for (const auto& row : run.tokens) {
      tokens_[row.sha256] = {
          static_cast<double>(
              std::accumulate(row.output_tokens.begin(), row.output_tokens.end(), std::int64_t{0})),
          static_cast<double>(row.body_tokens)};
    }
  }

  FieldResults make() {
    for (const auto& [task, mode] : run_.info.plan.groups) {
      if (std::ranges::find(field_.classes, task) == field_.classes.end()) {
        field_.classes.push_back(task);
      }
    }
    field_.tokens_counted = std::ranges::all_of(rows_.scores, [&](const ScoreRow& row) {
      return tokens_.contains(row.sent_sha256) && tokens_.contains(row.forwarded_sha256);
    });
    collect_pairs();
    for (const auto& name : field_.classes) {
      for (const auto& arm : run_.info.arms) add_cell(arm.name, name);
    }
    for (const auto& arm : run_.info.arms) add_claim(arm);
    return std::move(field_);
  }

 private:
  using Pairs = std::set<std::pair<std::string_view, std::string_view>>;

  void collect_pairs() {
    for (const auto& request : run_.requests) {
      if (!request.received_sha256) continue;
      pairs_[{std::string(request.arm), std::string(request.task)}].emplace(
          request.sent_sha256, *request.received_sha256);
    }
  }

  PairTokens tokens_of(const ScoreRow& row) const {
    if (!field_.tokens_counted) return row.score.estimated_tokens;
    const auto& sent = tokens_.at(row.sent_sha256);
    const auto& forwarded = tokens_.at(row.forwarded_sha256);
    return {sent.first, forwarded.first, sent.second, forwarded.second};
  }

  void add_cell(const std::string& arm, const std::string& class_name) {
    const auto pairs = pairs_.find({arm, class_name});
    if (pairs == pairs_.end()) return;
    FieldCell cell;
    cell.arm = arm;
    cell.class_name = class_name;
    std::set<std::string_view> sent;
    for (const auto& pair : pairs->second) {
      const auto score = scores_.find({arm, pair.first, pair.second});
      if (score == scores_.end()) continue;
      sent.insert(pair.first);
      add_pair(*score->second, cell);
    }
    cell.sent_bodies = sent.size();
    for (const auto& turns : rows_.conversations) {
      if (turns.arm == arm && turns.task == class_name) cell.conversations.push_back(turns);
    }
    if (cell.pairs > 0) field_.cells.push_back(std::move(cell));
  }

  void add_pair(const ScoreRow& row, FieldCell& cell) const {
    const PairScore& score = row.score;
    ++cell.pairs;
    cell.tokens.add(tokens_of(row));
    cell.lines.add(score.said.lines);
    cell.literals.add(score.said.literals);
    cell.facts.add(score.fact_standing());
    cell.facts_without_words = sum_if_known(cell.facts_without_words, score.facts_without_words());
    cell.exact += score.said.exact ? 1U : 0U;
    cell.lossy += loses(score) ? 1U : 0U;
    cell.other_changes += score.change == Change::other ? 1U : 0U;
    cell.outputs_gone += score.outputs_gone;
    cell.respelled += score.said.respelled;
    cell.moved += score.said.moved;
    cell.own_lines += score.said.own_lines;
    cell.rearranged_lines += score.said.rearranged_lines;
    cell.false_lines += score.said.false_lines;
    cell.false_numbers += score.said.false_numbers;
    cell.added_tokens += score.added.tokens;
  }

  void add_claim(const ArmInfo& arm) {
    ClaimCheck claim;
    claim.arm = arm.name;
    claim.claims_lossless = arm.claims_lossless;
    std::set<PairKey> seen;
    std::vector<CounterExample> against;
    for (const auto& class_name : field_.classes) {
      const auto pairs = pairs_.find({arm.name, class_name});
      if (pairs == pairs_.end()) continue;
      for (const auto& pair : pairs->second) {
        const PairKey key{arm.name, pair.first, pair.second};
        const auto score = scores_.find(key);
        if (score == scores_.end() || !seen.insert(key).second) continue;
        ++claim.pairs;
        const ScoreRow& row = *score->second;
        const bool lossy = loses(row.score);
        const bool says_false = row.score.said.false_lines > 0;
        claim.lossy += lossy ? 1U : 0U;
        claim.says_false += says_false ? 1U : 0U;
        if (lossy || says_false) against.push_back({class_name, name_of(row.sent_sha256), &row});
      }
    }
    choose_examples(against, claim);
    if (claim.pairs > 0) field_.claims.push_back(std::move(claim));
  }

  // Those that say what is false first; of each workload one, whatever its tool and API.
  static void choose_examples(const std::vector<CounterExample>& against, ClaimCheck& claim) {
    std::set<std::string> workloads;
    for (const bool says_false : {true, false}) {
      for (const auto& example : against) {
        if (claim.examples.size() == most_counter_examples) return;
        if ((example.row->score.said.false_lines > 0) != says_false) continue;
        const bool first =
            workloads.insert(example.class_name.substr(0, example.class_name.find('@'))).second;
        if (first) claim.examples.push_back(example);
      }
    }
  }

  std::string name_of(const std::string& sent) const {
    const auto row = std::ranges::find(run_.workload, sent, &WorkloadRow::sha256);
    return row == run_.workload.end() ? "" : row->name;
  }

  const RawRun& run_;
  const FieldRows& rows_;
  FieldResults field_;
  std::map<PairKey, const ScoreRow*> scores_;
  std::map<std::string, std::pair<double, double>> tokens_;     // of the outputs, of the body
  std::map<std::pair<std::string, std::string>, Pairs> pairs_;  // by arm and task
};

}  // namespace

std::optional<std::size_t> sum_if_known(std::optional<std::size_t> a,
                                        std::optional<std::size_t> b) {
  if (!a || !b) return std::nullopt;
  return *a + *b;
}

const FieldCell* FieldResults::find(const std::string& arm, const std::string& class_name) const {
  const auto at = std::ranges::find_if(cells, [&](const FieldCell& cell) {
    return cell.arm == arm && cell.class_name == class_name;
  });
  return at == cells.end() ? nullptr : &*at;
}

std::optional<FieldResults> make_field_results(const RawRun& run,
                                               std::shared_ptr<const FieldRows> rows) {
  if (rows->scores.empty()) return std::nullopt;
  return Maker(run, std::move(rows)).make();
}

}  // namespace tare::analysis
