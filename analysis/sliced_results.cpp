#include "analysis/sliced_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/forwarded_bytes.h"
#include "analysis/signed_rank.h"
#include "analysis/statistics.h"

namespace tare::analysis {
namespace {

using FigureOfSlice = std::optional<double> Slice::*;

FigureOfSlice figure_of(Primary metric) {
  if (metric == Primary::cpu) return &Slice::cpu_us;
  return metric == Primary::memory ? &Slice::anon_bytes : &Slice::latency_ms;
}

std::optional<double> mean_of(const std::vector<RoundPair>& rounds, double RoundPair::* side) {
  std::vector<double> values;
  for (const auto& round : rounds) values.push_back(round.*side);
  return mean(values);
}

class Maker {
 public:
  Maker(const RawRun& run, const RunIndex& index) : run_(run), index_(index) {
    const PlanInfo& plan = run.info.plan;
    results_.subject = plan.subject;
    results_.references = plan.references;
    for (const auto& arm : run.info.arms) {
      if (!arm.twin_of) continue;
      results_.twin = arm.name;
      results_.twin_of = *arm.twin_of;
    }
    results_.rounds = run.rounds;
  }

  SlicedResults make() {
    count_rounds();
    for (const auto& [task, mode] : run_.info.plan.groups) add_group(task, mode);
    judge_all();
    for (const auto& arm : run_.info.arms) {
      add_trends(arm.name);
      add_quiet(arm.name);
    }
    return std::move(results_);
  }

 private:
  struct Group {
    std::map<std::string, SliceTable> sliced;  // arm -> slices
    std::map<std::string, SliceTable> isolated;
  };

  void count_rounds() {
    for (const auto& round : run_.rounds) {
      if (round.discarded) {
        ++results_.gates.discarded[*round.discarded];
      } else {
        ++(round.design == Design::isolated ? results_.gates.isolated : results_.gates.sliced);
      }
    }
  }

  void add_group(const std::string& task, const std::string& mode) {
    Group& group = groups_[{task, mode}];
    for (const auto& arm : run_.info.arms) {
      group.sliced[arm.name] = slices_of(index_.rows(Design::sliced, arm.name, task, mode));
      group.isolated[arm.name] = slices_of(index_.rows(Design::isolated, arm.name, task, mode));
    }
    add_twin(group, task, mode);
    add_added(group, task, mode);
    for (const auto& reference : results_.references) {
      for (const Primary metric : primaries) add_versus(group, metric, task, mode, reference);
    }
  }

  void add_twin(const Group& group, const std::string& task, const std::string& mode) {
    if (results_.twin.empty() || !group.sliced.contains(results_.twin_of)) return;
    for (const Primary metric : primaries) {
      if (metric == Primary::bytes) continue;
      TwinResult twin{metric, task, mode, {}, std::nullopt};
      twin.effect = effect_of(paired_rounds(group.sliced.at(results_.twin),
                                            group.sliced.at(results_.twin_of), figure_of(metric)));
      if (twin.effect.within95) twin.resolution = twin.effect.within95->half_width();
      results_.twins.push_back(std::move(twin));
    }
  }

  void add_added(const Group& group, const std::string& task, const std::string& mode) {
    const std::string direct = direct_arm();
    if (direct.empty()) return;
    for (const auto& arm : run_.info.arms) {
      if (arm.name == direct) continue;
      const auto differences = paired_differences(group.sliced.at(arm.name),
                                                  group.sliced.at(direct), &Slice::latency_ms);
      if (differences.empty()) continue;
      results_.added.push_back({arm.name, task, mode, differences.size(),
                                hodges_lehmann(differences),
                                signed_rank_interval(differences, 0.95)});
    }
  }

  void add_versus(const Group& group, Primary metric, const std::string& task,
                  const std::string& mode, const std::string& reference) {
    const auto subject_rows = group.sliced.find(results_.subject);
    const auto reference_rows = group.sliced.find(reference);
    if (subject_rows == group.sliced.end() || reference_rows == group.sliced.end()) return;
    Versus versus;
    versus.metric = metric;
    versus.task = task;
    versus.mode = mode;
    versus.reference = reference;
    versus.not_same_work = other_work(task, mode, reference);
    if (metric == Primary::bytes) {
      add_bytes(versus);
      return;
    }
    versus.rounds = paired_rounds(subject_rows->second, reference_rows->second, figure_of(metric));
    if (versus.rounds.empty()) pair_through_anchor(group, reference, versus);
    versus.isolated_rounds = paired_rounds(group.isolated.at(results_.subject),
                                           group.isolated.at(reference), figure_of(metric));
    versus.isolated = effect_of(versus.isolated_rounds);
    versus.subject_value = mean_of(versus.rounds, &RoundPair::subject);
    versus.reference_value = mean_of(versus.rounds, &RoundPair::reference);
    if (versus.rounds.empty() && versus.isolated_rounds.empty()) return;
    results_.versus.push_back(std::move(versus));
  }

  // Of arms in different blocks, whose rounds have the anchors in common: the n-th round of the one
  // with the n-th of the other, each over the anchor in its own round.
  void pair_through_anchor(const Group& group, const std::string& reference, Versus& versus) const {
    const std::string anchor = results_.twin_of.empty() ? direct_arm() : results_.twin_of;
    const auto anchor_rows = group.sliced.find(anchor);
    if (anchor_rows == group.sliced.end()) return;
    const auto figure = figure_of(versus.metric);
    const auto own = paired_rounds(group.sliced.at(results_.subject), anchor_rows->second, figure);
    const auto other = paired_rounds(group.sliced.at(reference), anchor_rows->second, figure);
    for (std::size_t i = 0; i < std::min(own.size(), other.size()); ++i) {
      // As the reference would be in the subject's round.
      const double value = other[i].subject * own[i].reference / other[i].reference;
      versus.rounds.push_back(
          {own[i].round, own[i].log_ratio - other[i].log_ratio, own[i].subject, value});
    }
    if (!versus.rounds.empty()) versus.through = anchor;
  }

  // Deterministic: no interval and no test, and any difference is one.
  void add_bytes(Versus& versus) {
    const auto bytes =
        compared_bytes(index_.rows(Design::sliced, results_.subject, versus.task, versus.mode),
                       index_.rows(Design::sliced, versus.reference, versus.task, versus.mode));
    if (bytes.bodies == 0) return;
    versus.subject_value = bytes.subject;
    versus.reference_value = bytes.reference;
    versus.judged.effect.n = bytes.bodies;
    versus.judged.effect.estimate = log_ratio(bytes.subject, bytes.reference);
    versus.judged.verdict = bytes.subject < bytes.reference   ? Verdict::better
                            : bytes.subject > bytes.reference ? Verdict::worse
                                                              : Verdict::equivalent;
    if (bytes.varied > 0) {
      versus.judged.because =
          fmt::format("{} bodies were not always forwarded at the same size", bytes.varied);
    }
    results_.versus.push_back(std::move(versus));
  }

  void judge_all() {
    std::vector<Contender> family;
    for (const auto& versus : results_.versus) {
      if (versus.metric == Primary::bytes) continue;
      const TwinResult* twin = results_.twin_result(versus.metric, versus.task, versus.mode);
      const auto margin = run_.info.plan.margins.find(std::string(key_of(versus.metric)));
      family.push_back({versus.rounds,
                        margin == run_.info.plan.margins.end() ? 0.05 : margin->second,
                        twin == nullptr ? std::nullopt : twin->resolution});
    }
    auto judged = judge(family);
    results_.family = family.size();
    std::size_t next = 0;
    for (auto& versus : results_.versus) {
      if (versus.metric != Primary::bytes) versus.judged = std::move(judged[next++]);
    }
  }

  struct Work {
    std::size_t requests = 0;
    std::size_t failed = 0;
  };

  Work work_of(const std::string& arm, const std::string& task, const std::string& mode) const {
    Work work;
    for (const RequestRow* row : index_.rows(Design::sliced, arm, task, mode).requests) {
      if (!row->measured) continue;
      ++work.requests;
      if (row->failed()) ++work.failed;
    }
    return work;
  }

  std::string other_work(const std::string& task, const std::string& mode,
                         const std::string& reference) const {
    const Work own = work_of(results_.subject, task, mode);
    const Work other = work_of(reference, task, mode);
    if (own.failed * other.requests <= other.failed * own.requests) return "";
    return fmt::format("{} of {} requests failed or had a wrong reply, of {} {} of {}", own.failed,
                       own.requests, reference, other.failed, other.requests);
  }

  std::string direct_arm() const {
    for (const auto& arm : run_.info.arms) {
      if (arm.kind == "direct") return arm.name;
    }
    return "";
  }

  void add_trends(const std::string& arm) {
    const std::string direct = direct_arm();
    TrendCounts counts;
    counts.arm = arm;
    for (const auto& [name, group] : groups_) {
      const bool paired = !direct.empty() && arm != direct;
      const SliceTable* over = paired ? &group.sliced.at(direct) : nullptr;
      for (const auto& [round, trend] : trends_of(group.sliced.at(arm), over)) {
        if (trend == Trend::flat) ++counts.flat;
        if (trend == Trend::warming) ++counts.warming;
        if (trend == Trend::slowing) ++counts.slowing;
        if (trend == Trend::cannot_be_told) ++counts.cannot_be_told;
      }
    }
    if (counts.told() + counts.cannot_be_told > 0) results_.trends.push_back(std::move(counts));
  }

  void add_quiet(const std::string& arm) {
    double idle_us = 0;
    double idle_cpu_us = 0;
    double deferred_us = 0;
    double window_us = 0;
    double requests = 0;
    for (const auto& [task, mode] : run_.info.plan.groups) {
      for (const GroupRow* row : index_.rows(Design::isolated, arm, task, mode).groups) {
        if (row->idle_us && row->idle_cpu_us) {
          idle_us += static_cast<double>(*row->idle_us);
          idle_cpu_us += static_cast<double>(*row->idle_cpu_us);
        }
        if (row->cpu_after_us && row->cpu_us) {
          deferred_us += static_cast<double>(*row->cpu_after_us);
          window_us += static_cast<double>(*row->cpu_us);
          requests += static_cast<double>(row->requests);
        }
      }
    }
    QuietCpu quiet{arm, std::nullopt, ratio(deferred_us, requests), ratio(deferred_us, window_us)};
    if (idle_us > 0) quiet.idle_us_per_s = 1e6 * idle_cpu_us / idle_us;
    if (quiet.idle_us_per_s || quiet.deferred_us_per_request) results_.quiet.push_back(quiet);
  }

  const RawRun& run_;
  const RunIndex& index_;
  std::map<std::pair<std::string, std::string>, Group> groups_;
  SlicedResults results_;
};

}  // namespace

std::string_view key_of(Primary metric) {
  switch (metric) {
    case Primary::latency:
      return "latency";
    case Primary::cpu:
      return "cpu";
    case Primary::memory:
      return "memory";
    case Primary::bytes:
      return "bytes";
  }
  return "";
}

std::string_view title_of(Primary metric) {
  switch (metric) {
    case Primary::latency:
      return "latency";
    case Primary::cpu:
      return "CPU a request";
    case Primary::memory:
      return "memory (anonymous)";
    case Primary::bytes:
      return "forwarded bytes";
  }
  return "";
}

const TwinResult* SlicedResults::twin_result(Primary metric, std::string_view task,
                                             std::string_view mode) const {
  for (const auto& result : twins) {
    if (result.metric == metric && result.task == task && result.mode == mode) return &result;
  }
  return nullptr;
}

SlicedResults make_sliced_results(const RawRun& run, const RunIndex& index) {
  return Maker(run, index).make();
}

}  // namespace tare::analysis
