#include "analysis/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <unordered_map>

#include "analysis/cell.h"
#include "analysis/row_checks.h"
#include "analysis/run_index.h"
#include "analysis/run_tokens.h"
#include "analysis/start_figures.h"
#include "analysis/statistics.h"

namespace tare::analysis {
namespace {

const Metric cpu_reduction_metric{
    "cpu_reduction", "CPU reduction", Unit::share, "groups.jsonl.zst",
    "1 - cpu_ms_per_request of the first compressor / cpu_ms_per_request of the second"};

std::string status_of(const RequestRow& row) {
  return row.status ? fmt::format("{}", *row.status) : "no reply";
}

class Maker {
 public:
  Maker(const RawRun& run, const FieldRows& field)
      : run_(run),
        index_(run),
        design_(run.info.plan.protocol == "sliced" ? Design::sliced : Design::published),
        bodies_(run.folder, counted_outputs(run)),
        fidelity_(run, field.scores, bodies_) {
    results_.info = run.info;
    results_.warnings = run.warnings;
    results_.damaged = run.damaged;
    results_.events = run.events;
    results_.tokens_counted = bodies_.counted();
    // Rounds of a sliced plan stand for themselves; the published protocol is all or nothing.
    results_.figures_given = run.info.complete || has_whole_rounds();
  }

  Results make() {
    add_arms();
    count_requests();
    choose_pair();
    if (results_.figures_given) {
      for (const auto& [task, mode] : run_.info.plan.groups) add_group(task, mode);
      for (auto& arm : results_.arms) add_start_figures(arm);
      results_.curves = latency_curves(run_, index_, design_);
      results_.series = time_series(run_, index_);
      if (design_ == Design::sliced) results_.sliced = make_sliced_results(run_, index_);
      add_findings();
    }
    const auto& lost = bodies_.warnings();
    results_.warnings.insert(results_.warnings.end(), lost.begin(), lost.end());
    results_.damaged = results_.damaged || !lost.empty();
    return std::move(results_);
  }

 private:
  bool has_whole_rounds() const {
    return design_ == Design::sliced &&
           std::ranges::any_of(run_.rounds, [](const auto& round) { return !round.discarded; });
  }

  void add_arms() {
    int marks = 0;
    for (const auto& info : run_.info.arms) {
      ArmResult arm;
      arm.info = info;
      if (!info.degraded.empty()) arm.mark = ++marks;
      for (const auto& row : run_.starts) {
        if (row.arm != info.name) continue;
        StartResult start{row, index_.counted(row), false, std::nullopt};
        // A second copy of a program looks smaller and starts faster beside the first.
        start.alone = start.counted && row.design != Design::sliced;
        if (row.has_process && row.began_ns && row.ready_ns) {
          start.ready_ms = static_cast<double>(*row.ready_ns - *row.began_ns) / 1e6;
        }
        ++arm.outcomes[row.outcome];
        arm.starts.push_back(std::move(start));
      }
      results_.arms.push_back(std::move(arm));
    }
  }

  void count_requests() {
    std::unordered_map<std::string_view, ArmResult*> by_name;
    for (auto& arm : results_.arms) by_name[arm.info.name] = &arm;
    for (const auto& row : run_.requests) {
      const auto at = by_name.find(row.arm);
      if (at == by_name.end()) continue;
      ArmResult& arm = *at->second;
      ++(row.measured ? arm.measured_statuses : arm.warmup_statuses)[status_of(row)];
      if (row.status == 200 && !row.reply_correct) ++arm.wrong_replies;
      if (row.status == 429) ++arm.rate_limited_rounds[row.round];
    }
  }

  void choose_pair() {
    for (const auto& arm : run_.info.arms) {
      if (arm.kind != "compressor") continue;
      if (results_.subject.empty()) {
        results_.subject = arm.name;
      } else if (results_.baseline.empty()) {
        results_.baseline = arm.name;
      }
    }
  }

  void add_group(const std::string& task, const std::string& mode) {
    GroupResult group;
    group.task = task;
    group.mode = mode;
    for (const auto& arm : results_.arms) {
      if (auto cell = make_cell(arm.info, task, mode)) group.cells.push_back(std::move(*cell));
    }
    add_added_latency(group);
    add_cpu_reduction(group);
    results_.groups.push_back(std::move(group));
  }

  std::optional<Cell> make_cell(const ArmInfo& arm, const std::string& task,
                                const std::string& mode) {
    const IndexedRows& rows = index_.rows(design_, arm.name, task, mode);
    CellRows all;
    std::map<int, CellRows> rounds;
    for (const RequestRow* row : rows.requests) {
      if (!row->measured) continue;
      all.requests.push_back(row);
      rounds[row->round].requests.push_back(row);
    }
    for (const GroupRow* row : rows.groups) {
      all.groups.push_back(row);
      rounds[row->round].groups.push_back(row);
    }
    if (all.requests.empty()) return std::nullopt;
    Cell cell;
    cell.arm = arm.name;
    cell.figures = cell_figures(all, bodies_);
    for (const auto& [round, of_round] : rounds) {
      cell.rounds.push_back({round, cell_figures(of_round, bodies_)});
    }
    cell.kept = fidelity_.check(arm, rows.requests);
    if (design_ == Design::sliced) cell.isolated = isolated_figures(arm, task, mode);
    return cell;
  }

  Figures isolated_figures(const ArmInfo& arm, const std::string& task, const std::string& mode) {
    const IndexedRows& rows = index_.rows(Design::isolated, arm.name, task, mode);
    CellRows measured{{}, rows.groups};
    for (const RequestRow* row : rows.requests) {
      if (row->measured) measured.requests.push_back(row);
    }
    return cell_figures(measured, bodies_);
  }

  const Cell* direct_cell(const GroupResult& group) const {
    for (const auto& arm : results_.arms) {
      if (arm.info.kind == "direct") return group.find(arm.info.name);
    }
    return nullptr;
  }

  void add_added_latency(GroupResult& group) const {
    const Cell* direct = direct_cell(group);
    if (direct == nullptr) return;
    for (auto& cell : group.cells) {
      if (cell.arm == direct->arm) continue;
      add_difference(cell, *direct, metrics::mean_latency, metrics::added_mean);
      add_difference(cell, *direct, metrics::median_latency, metrics::added_median);
    }
  }

  // Paired by round: a round that either arm lacks is in neither.
  static void add_difference(Cell& cell, const Cell& direct, const Metric& of,
                             const Metric& result) {
    std::vector<double> differences;
    Figure all{&result, std::nullopt, 0, {}, "no round has both arms"};
    for (auto& round : cell.rounds) {
      for (const auto& other : direct.rounds) {
        const Figure& a = round.figures.at(of);
        const Figure& b = other.figures.at(of);
        if (round.round != other.round || !a.value || !b.value) continue;
        Figure one{&result, *a.value - *b.value, 1, a.lines, ""};
        one.lines.add(b.lines);
        differences.push_back(*one.value);
        all.lines.add(one.lines);
        round.figures.add(std::move(one));
      }
    }
    all.value = mean(differences);
    all.n = differences.size();
    if (all.value) all.absent_because.clear();
    cell.figures.add(std::move(all));
  }

  void add_cpu_reduction(GroupResult& group) const {
    group.cpu_reduction.metric = &cpu_reduction_metric;
    group.cpu_reduction.absent_because = "it takes two compressors whose CPU was measured";
    const Cell* subject = group.find(results_.subject);
    const Cell* baseline = group.find(results_.baseline);
    if (subject == nullptr || baseline == nullptr) return;
    const Figure& a = subject->figures.at(metrics::cpu);
    const Figure& b = baseline->figures.at(metrics::cpu);
    const auto share = ratio(a.value, b.value);
    if (!share) return;
    group.cpu_reduction = {&cpu_reduction_metric, 1 - *share, std::min(a.n, b.n), a.lines, ""};
    group.cpu_reduction.lines.add(b.lines);
  }

  void add_start_figures(ArmResult& arm) const {
    std::vector<const StartRow*> starts;
    for (const auto& start : arm.starts) {
      if (start.alone) starts.push_back(&start.row);
    }
    arm.figures = start_figures(index_, starts);
  }

  void add_findings() {
    std::map<std::string_view, std::size_t> retries;
    for (const auto& row : run_.requests) {
      if (row.attempts > 1) ++retries[row.arm];
    }
    for (const auto& [arm, n] : retries) {
      results_.findings.push_back(
          fmt::format("{}: requests that reached the upstream more than once: {}", arm, n));
    }
    for (const auto& group : results_.groups) {
      for (const auto& cell : group.cells) {
        if (cell.kept.pairs > cell.kept.sent_bodies) {
          results_.findings.push_back(fmt::format(
              "{}, {}/{}: the same body was not always forwarded as the same bytes ({} bodies "
              "sent, "
              "{} different ones forwarded for them)",
              cell.arm, group.task, group.mode, cell.kept.sent_bodies, cell.kept.pairs));
        }
      }
    }
  }

  const RawRun& run_;
  RunIndex index_;
  Design design_;
  Bodies bodies_;
  FidelityCheck fidelity_;
  Results results_;
};

}  // namespace

const Cell* GroupResult::find(const std::string& arm) const {
  for (const auto& cell : cells) {
    if (cell.arm == arm) return &cell;
  }
  return nullptr;
}

const ArmResult* Results::find(const std::string& arm) const {
  for (const auto& one : arms) {
    if (one.info.name == arm) return &one;
  }
  return nullptr;
}

Results make_results(const RawRun& run) {
  std::vector<std::string> warnings;
  const auto rows = std::make_shared<const FieldRows>(read_field_rows(run.folder, warnings));
  check_score_rows(run, *rows, warnings);
  Results results = Maker(run, *rows).make();
  // A sum that does not fit is said by read_run(); what is wrong in the file is better known here.
  results.warnings.insert(results.warnings.end(), warnings.begin(), warnings.end());
  results.damaged = results.damaged || !warnings.empty();
  if (results.figures_given) results.field = make_field_results(run, rows);
  return results;
}

}  // namespace tare::analysis
