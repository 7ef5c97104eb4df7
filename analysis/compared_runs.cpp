#include "analysis/compared_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/forwarded_bytes.h"
#include "analysis/markdown_sliced.h"
#include "analysis/markdown_text.h"
#include "analysis/multiplicity.h"
#include "analysis/rank_sum.h"
#include "analysis/slices.h"

namespace tare::analysis {
namespace {

constexpr double level = 0.05;

const ArmInfo* find_arm(const RawRun& run, const std::string& name) {
  for (const auto& arm : run.info.arms) {
    if (arm.name == name) return &arm;
  }
  return nullptr;
}

std::string subject_of(const RawRun& run) {
  if (!run.info.plan.subject.empty()) return run.info.plan.subject;
  for (const auto& arm : run.info.arms) {
    if (arm.kind == "compressor") return arm.name;
  }
  return "";
}

// CPU is not measured of `direct`, so a forwarder serves every metric.
std::string anchor_of(const RawRun& base, const RawRun& head, const std::string& subject) {
  for (const auto& arm : base.info.arms) {
    const bool forwards = arm.kind == "forwarder" && !arm.twin_of && arm.name != subject;
    const ArmInfo* other = find_arm(head, arm.name);
    if (forwards && other != nullptr && other->files == arm.files) return arm.name;
  }
  return "";
}

std::string fact_of(const RawRun& run, std::string_view name) {
  for (const auto& [key, value] : run.info.environment.facts) {
    if (key == name) return value;
  }
  return "";
}

void tell_damage(const char* name, const RawRun& run, ComparedRuns& runs) {
  for (const auto& warning : run.warnings)
    runs.damages.push_back(fmt::format("{}: {}", name, warning));
}

void check_comparable(const RawRun& base, const RawRun& head, ComparedRuns& runs) {
  if (!base.info.complete) runs.differences.push_back("BASE is incomplete: " + base.info.reason);
  if (!head.info.complete) runs.differences.push_back("HEAD is incomplete: " + head.info.reason);
  if (base.info.plan_sha256 != head.info.plan_sha256) {
    runs.differences.push_back(fmt::format("the plans differ: {} ({}) and {} ({})",
                                           base.info.plan.name, base.info.plan_sha256.substr(0, 12),
                                           head.info.plan.name,
                                           head.info.plan_sha256.substr(0, 12)));
  }
  for (const char* name : {"cpu_model", "cores", "cgroup_grade"}) {
    const auto before = fact_of(base, name);
    const auto after = fact_of(head, name);
    if (before != after) {
      runs.differences.push_back(
          fmt::format("the machines differ: {} is {} and {}", name, before, after));
    }
  }
  for (const char* name : {"kernel", "distribution", "governor", "memory_bytes"}) {
    const auto before = fact_of(base, name);
    const auto after = fact_of(head, name);
    if (before != after) {
      runs.notes.push_back(fmt::format("{} is {} and {}", name, before, after));
    }
  }
}

using FigureOfSlice = std::optional<double> Slice::*;
constexpr std::pair<Primary, FigureOfSlice> sampled[] = {{Primary::latency, &Slice::latency_ms},
                                                         {Primary::cpu, &Slice::cpu_us},
                                                         {Primary::memory, &Slice::anon_bytes}};

// A value a round, as a log.
std::vector<double> round_logs(const RunIndex& index, Design design, const std::string& subject,
                               const std::string& anchor, const std::string& task,
                               const std::string& mode, FigureOfSlice figure) {
  const auto own = slices_of(index.rows(design, subject, task, mode));
  // Without an anchor a round stands against 1.
  SliceTable unit;
  for (const auto& [place, slice] : own) unit[place] = {1.0, 1.0, 1.0};
  const auto others = anchor.empty() ? unit : slices_of(index.rows(design, anchor, task, mode));
  std::vector<double> logs;
  for (const auto& round : paired_rounds(own, others, figure)) logs.push_back(round.log_ratio);
  return logs;
}

std::optional<double> beyond_margin(const std::vector<double>& base,
                                    const std::vector<double>& head, double bound) {
  const auto below = rank_sum_p(base, head, -bound, Side::less);
  const auto above = rank_sum_p(base, head, bound, Side::greater);
  if (!below || !above) return std::nullopt;
  return std::min(1.0, 2 * std::min(*below, *above));
}

void decide(ComparedMetric& one) {
  if (!one.p_holm || !one.estimate) return;
  const double bound = std::log1p(one.margin);
  if (*one.p_holm <= level) {
    one.verdict = *one.estimate < 0 ? Verdict::better : Verdict::worse;
  } else if (one.within95 && one.within95->inside(bound)) {
    one.verdict = one.within95->contains(0) ? Verdict::equivalent : Verdict::different_but_small;
  } else {
    one.verdict = Verdict::inconclusive;
  }
}

class Comparer {
 public:
  Comparer(const RawRun& base, const RawRun& head, ComparedRuns& runs)
      : base_run_(base), base_(base), head_(head), runs_(runs) {
    design_ = base.info.plan.protocol == "sliced" ? Design::sliced : Design::published;
  }

  void compare() {
    for (const auto& [task, mode] : base_run_.info.plan.groups) {
      for (const auto& [metric, figure] : sampled) add(metric, figure, task, mode);
      add_bytes(task, mode);
    }
    std::vector<double> p_values;
    for (const auto& one : runs_.metrics) {
      if (one.p) p_values.push_back(*one.p);
    }
    const auto adjusted = holm(p_values);
    std::size_t next = 0;
    for (auto& one : runs_.metrics) {
      if (!one.p) continue;
      one.p_holm = adjusted[next++];
      decide(one);
    }
  }

 private:
  void add(Primary metric, FigureOfSlice figure, const std::string& task, const std::string& mode) {
    const auto before = round_logs(base_, design_, runs_.subject, runs_.anchor, task, mode, figure);
    const auto after = round_logs(head_, design_, runs_.subject, runs_.anchor, task, mode, figure);
    if (before.empty() && after.empty()) return;
    const auto& margins = base_run_.info.plan.margins;
    const auto margin = margins.find(std::string(key_of(metric)));
    ComparedMetric one;
    one.metric = metric;
    one.task = task;
    one.mode = mode;
    one.base_n = before.size();
    one.head_n = after.size();
    one.margin = margin == margins.end() ? 0.05 : margin->second;
    one.estimate = median_shift(before, after);
    one.within95 = shift_interval(before, after, 0.95);
    // The fewest rounds of a family's verdict, in each run, as within a run.
    if (std::min(before.size(), after.size()) >= fewest_rounds_for_verdict) {
      one.p = beyond_margin(before, after, std::log1p(one.margin));
    } else {
      one.because = fmt::format("{} and {} rounds; a verdict takes {} of each", before.size(),
                                after.size(), fewest_rounds_for_verdict);
    }
    runs_.metrics.push_back(std::move(one));
  }

  void add_bytes(const std::string& task, const std::string& mode) {
    const auto bytes = compared_bytes(head_.rows(design_, runs_.subject, task, mode),
                                      base_.rows(design_, runs_.subject, task, mode));
    if (bytes.bodies == 0) return;
    ComparedMetric one;
    one.metric = Primary::bytes;
    one.task = task;
    one.mode = mode;
    one.base_n = bytes.bodies;
    one.head_n = bytes.bodies;
    one.estimate = log_ratio(bytes.subject, bytes.reference);
    one.verdict = bytes.subject < bytes.reference   ? Verdict::better
                  : bytes.subject > bytes.reference ? Verdict::worse
                                                    : Verdict::equivalent;
    runs_.metrics.push_back(std::move(one));
  }

  const RawRun& base_run_;
  RunIndex base_;
  RunIndex head_;
  ComparedRuns& runs_;
  Design design_ = Design::published;
};

// A failed request is a loss whatever the figures say.
std::size_t failures_of(const RawRun& run, const std::string& arm) {
  return static_cast<std::size_t>(std::ranges::count_if(run.requests, [&](const auto& row) {
    return row.arm == arm && row.measured && row.failed();
  }));
}

}  // namespace

std::size_t ComparedRuns::worse() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      metrics, [](const auto& one) { return one.verdict == Verdict::worse; }));
}

Result<ComparedRuns> compare_runs(const RawRun& base, const RawRun& head,
                                  const std::string& subject) {
  ComparedRuns runs;
  runs.subject = subject.empty() ? subject_of(head) : subject;
  for (const RawRun* run : {&base, &head}) {
    if (find_arm(*run, runs.subject) != nullptr) continue;
    return fail(Error::usage(fmt::format("{}: the run of {} has no arm \"{}\"",
                                         run->folder.string(), run->info.plan.name, runs.subject),
                             "name one of its arms with --subject"));
  }
  runs.anchor = anchor_of(base, head, runs.subject);
  tell_damage("BASE", base, runs);
  tell_damage("HEAD", head, runs);
  check_comparable(base, head, runs);
  if (!runs.comparable()) return runs;
  const auto before = failures_of(base, runs.subject);
  const auto after = failures_of(head, runs.subject);
  if (before != after) {
    runs.notes.push_back(
        fmt::format("measured requests that failed: {} before, {} after", before, after));
  }
  Comparer(base, head, runs).compare();
  return runs;
}

std::string compared_markdown(const ComparedRuns& runs) {
  using markdown::plain;
  std::string text = fmt::format("# {}, before and after\n\n", plain(runs.subject));
  if (runs.damaged()) {
    text += "**Some raw data is missing or damaged**; what is whole was used:\n\n";
    for (const auto& damage : runs.damages) text += "- " + plain(damage) + "\n";
    text += "\n";
  }
  if (!runs.comparable()) {
    text += "**The runs cannot be compared**:\n\n";
    for (const auto& difference : runs.differences) text += "- " + plain(difference) + "\n";
    return text;
  }
  text += runs.worse() == 0 ? "No primary metric is worse.\n\n"
                            : fmt::format("**{} of {} primary metrics are worse.**\n\n",
                                          runs.worse(), runs.metrics.size());
  markdown::Table table({"metric", "group", ">after / before", ">95 % interval", ">p in the family",
                         ">n before", ">after", "verdict"});
  for (const auto& one : runs.metrics) {
    table.add({std::string(title_of(one.metric)), plain(one.task + "/" + one.mode),
               markdown::signed_percent(one.estimate), markdown::interval_text(one.within95),
               one.p_holm ? fmt::format("{:.4f}", *one.p_holm) : std::string(markdown::none),
               markdown::grouped(one.base_n), markdown::grouped(one.head_n),
               std::string(name_of(one.verdict)) +
                   (one.because.empty() ? "" : ": " + plain(one.because))});
  }
  text += table.text();
  text += runs.anchor.empty()
              ? "\nThe runs have no forwarder in common to hold the subject against: a slower "
                "machine looks like a slower subject.\n"
              : fmt::format(
                    "\nEach round's figure is {} over {} in the same slice groups, so that "
                    "a slower machine is no slower subject. Rounds of two runs are no "
                    "pairs: Mann and Whitney's test of the shift beyond the margin, with "
                    "Holm's correction; n counts rounds, of bytes bodies.\n",
                    plain(runs.subject), plain(runs.anchor));
  for (const auto& note : runs.notes) text += fmt::format("\n- {}\n", plain(note));
  return text;
}

}  // namespace tare::analysis
