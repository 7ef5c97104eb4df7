#include "analysis/markdown_sliced.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "analysis/markdown_reporter.h"
#include "analysis/markdown_text.h"

namespace tare::analysis::markdown {
namespace {

// These sections are asked for where the plan is sliced only.
const SlicedResults& sliced_of(const Results& results) {
  if (!results.sliced) throw std::logic_error("the run is not sliced");
  return *results.sliced;
}

std::string group_name(const std::string& task, const std::string& mode) {
  return plain(task + "/" + mode);
}

std::string with_sign(double share) {
  const std::string text = fmt::format("{:+.1f} %", 100 * share);
  return text == "-0.0 %" || text == "+0.0 %" ? "0.0 %" : text;
}

// A value of a primary metric in its unit.
std::string value_text(Primary metric, std::optional<double> value) {
  if (!value) return std::string(none);
  if (metric == Primary::latency) return milliseconds(*value);
  if (metric == Primary::cpu) return milliseconds(*value / 1e3);
  return metric == Primary::memory ? mebibytes(*value) : bytes(*value);
}

std::string unit_of(Primary metric) {
  if (metric == Primary::memory) return "MiB";
  return metric == Primary::bytes ? "bytes" : "ms";
}

std::string against_text(const Versus& versus) {
  if (versus.through.empty()) return plain(versus.reference);
  return fmt::format("{} (by way of {})", plain(versus.reference), plain(versus.through));
}

std::string isolated_text(const Versus& versus) {
  if (!versus.isolated.estimate) return std::string(none);
  return fmt::format("{} ({})", signed_percent(versus.isolated.estimate), versus.isolated.n);
}

std::string kept_text(const GroupResult& group, const std::string& arm) {
  const Cell* cell = group.find(arm);
  if (cell == nullptr) return std::string(none);
  const Kept& kept = cell->kept;
  const std::size_t told = kept.given_back + kept.not_given_back;
  const bool told_facts = kept.facts > 0 || kept.facts_unknown == 0;
  return fmt::format(
      "facts {}{}",
      told_facts ? fmt::format("{} of {}", kept.facts_kept, kept.facts) : "cannot be told",
      told == 0 ? "" : fmt::format(", given back {} of {}", kept.given_back, told));
}

std::string measured_table(const Results& results, Primary metric) {
  const SlicedResults& sliced = sliced_of(results);
  const std::string unit = unit_of(metric);
  Table table({"group", "against", fmt::format(">{}, {}", plain(sliced.subject), unit),
               fmt::format(">reference, {}", unit), ">difference", ">95 % interval",
               ">over the family", ">isolated", ">rounds", ">resolution", "verdict"});
  for (const auto& versus : sliced.versus) {
    if (versus.metric != metric) continue;
    const Judged& judged = versus.judged;
    table.add(
        {group_name(versus.task, versus.mode), against_text(versus),
         value_text(metric, versus.subject_value), value_text(metric, versus.reference_value),
         signed_percent(judged.effect.estimate), interval_text(judged.effect.within95),
         interval_text(judged.bonferroni), isolated_text(versus), grouped(judged.effect.n),
         judged.resolution ? "±" + percent(share_of_log(*judged.resolution)) : std::string(none),
         verdict_text(versus)});
  }
  return table.text();
}

std::string bytes_table(const Results& results) {
  const SlicedResults& sliced = sliced_of(results);
  Table table({"group", "against", fmt::format(">{}, bytes", plain(sliced.subject)),
               ">reference, bytes", ">difference", ">bodies",
               fmt::format("kept by {}", plain(sliced.subject)), "kept by the reference",
               "verdict"});
  for (const auto& versus : sliced.versus) {
    if (versus.metric != Primary::bytes) continue;
    for (const auto& group : results.groups) {
      if (group.task != versus.task || group.mode != versus.mode) continue;
      table.add({group_name(versus.task, versus.mode), plain(versus.reference),
                 value_text(Primary::bytes, versus.subject_value),
                 value_text(Primary::bytes, versus.reference_value),
                 signed_percent(versus.judged.effect.estimate), grouped(versus.judged.effect.n),
                 kept_text(group, sliced.subject), kept_text(group, versus.reference),
                 verdict_text(versus)});
    }
  }
  return table.text();
}

std::string latency_table(const Results& results, const GroupResult& group) {
  const SlicedResults& sliced = sliced_of(results);
  Table table({"arm", ">n", ">failed", ">mean ms", ">median", ">p90", ">p95", ">isolated, mean ms",
               ">added over direct, ms", ">95 % interval", ">CPU ms a request", ">isolated"});
  for (const auto& cell : group.cells) {
    const Figures& f = cell.figures;
    std::string added(none);
    std::string within(none);
    for (const auto& one : sliced.added) {
      if (one.arm != cell.arm || one.task != group.task || one.mode != group.mode) continue;
      added = optional_text(one.added_ms, milliseconds);
      if (one.within95) {
        within = fmt::format("{} to {}", milliseconds(one.within95->low),
                             milliseconds(one.within95->high));
      }
    }
    table.add({arm_name(results, cell.arm), text_of(f.at(metrics::requests)),
               text_of(f.at(metrics::failures)), text_of(f.at(metrics::mean_latency)),
               text_of(f.at(metrics::median_latency)), text_of(f.at(metrics::p90_latency)),
               text_of(f.at(metrics::p95_latency)),
               text_of(cell.isolated.at(metrics::mean_latency)), added, within,
               text_of(f.at(metrics::cpu)), text_of(cell.isolated.at(metrics::cpu))});
  }
  return table.text();
}

std::string discarded_rounds(const SlicedResults& sliced) {
  Table table({">round", "design", "discarded for", ">canary before, ms", ">after, ms",
               ">stolen CPU", ">foreign CPU"});
  for (const auto& round : sliced.rounds) {
    if (!round.discarded) continue;
    const auto ms = [](std::optional<std::int64_t> ns) {
      return ns ? milliseconds(static_cast<double>(*ns) / 1e6) : std::string(none);
    };
    table.add({grouped(static_cast<std::size_t>(round.round)),
               round.design == Design::isolated ? "isolated" : "sliced", plain(*round.discarded),
               ms(round.canary_begin_ns), ms(round.canary_end_ns),
               optional_text(round.steal_share, percent),
               optional_text(round.foreign_cpu_share, percent)});
  }
  return table.empty() ? "" : "\n" + table.text();
}

}  // namespace

std::string signed_percent(std::optional<double> log_value) {
  return log_value ? with_sign(share_of_log(*log_value)) : std::string(none);
}

std::string interval_text(const std::optional<Interval>& interval) {
  if (!interval) return std::string(none);
  return fmt::format("{} to {}", signed_percent(interval->low), signed_percent(interval->high));
}

std::string verdict_text(const Versus& versus) {
  const Judged& judged = versus.judged;
  if (judged.verdict == Verdict::better && !versus.not_same_work.empty()) {
    return "no win, not the same work: " + plain(versus.not_same_work);
  }
  std::string text(judged.verdict == Verdict::none ? none : name_of(judged.verdict));
  if (judged.verdict == Verdict::inconclusive) {
    text += judged.smallest
                ? fmt::format(" (could have seen {})", percent(share_of_log(*judged.smallest)))
                : " (so few rounds could have seen nothing)";
  }
  if (!judged.because.empty()) text += ": " + plain(judged.because);
  return text;
}

std::string verdicts_at_a_glance(const Results& results) {
  const SlicedResults& sliced = sliced_of(results);
  if (sliced.versus.empty()) return "";
  std::vector<std::string> titles{"metric", "against"};
  for (const auto& group : results.groups) titles.push_back(group_name(group.task, group.mode));
  Table table(titles);
  for (const Primary metric : primaries) {
    for (const auto& reference : sliced.references) {
      std::vector<std::string> row{std::string(title_of(metric)), plain(reference)};
      for (const auto& group : results.groups) {
        std::string cell(none);
        for (const auto& versus : sliced.versus) {
          if (versus.metric != metric || versus.reference != reference ||
              versus.task != group.task || versus.mode != group.mode) {
            continue;
          }
          const bool win = versus.judged.verdict == Verdict::better;
          const bool no_win = win && !versus.not_same_work.empty();
          cell = fmt::format("{} {}", no_win ? "no win" : name_of(versus.judged.verdict),
                             signed_percent(versus.judged.effect.estimate));
        }
        row.push_back(cell);
      }
      table.add(std::move(row));
    }
  }
  return fmt::format(
      "\n## Verdicts on {}\n\n{}\nLess is better of every metric. A difference is {}'s figure over "
      "the reference's; each rests on the paired rounds below. No win: the figure is lower, but "
      "not "
      "the same work was done.\n",
      plain(sliced.subject), table.text(), plain(sliced.subject));
}

std::string verdict_tables(const Results& results) {
  const SlicedResults& sliced = sliced_of(results);
  std::string text = "\n## Each comparison\n";
  if (sliced.versus.empty()) {
    return text +
           "\nNothing was compared: the plan names no subject and references, or none of "
           "them has a round that counts.\n";
  }
  for (const Primary metric : primaries) {
    text += fmt::format("\n### {}\n\n", title_of(metric));
    text += metric == Primary::bytes ? bytes_table(results) : measured_table(results, metric);
  }
  std::string margins;
  for (const auto& [metric, share] : results.info.plan.margins) {
    if (!margins.empty()) margins += ", ";
    margins += fmt::format("{} {}", plain(metric), percent(share));
  }
  text += fmt::format(
      "\nDifference: Hodges-Lehmann estimate over rounds, of each round's estimate over its slice "
      "groups. 95 % interval: Wilcoxon's signed-rank test, exact. Over the family: the interval at "
      "which all {} together cover with 95 % (Bonferroni). Isolated: the same ratio where one arm "
      "was up at a time, and its rounds; too few for a verdict. Resolution: half the width of the "
      "twin's interval, in the same group. Margins: {}.\n"
      "\nBetter, worse: beyond the margin (p at most 5 % in the family, Holm) and beyond the "
      "resolution. Equivalent: the 90 % interval lies inside the margin. Different but small: "
      "that, "
      "and the 95 % interval excludes no difference at all. Inconclusive: the rest, with the "
      "smallest effect that this run could have seen. Bytes are counted, not sampled: they have no "
      "interval.\n",
      sliced.family, margins.empty() ? "5 %" : margins);
  return text;
}

std::string other_estimates(const Results& results) {
  const SlicedResults& sliced = sliced_of(results);
  Table table({"metric", "group", "against", ">Hodges-Lehmann", ">geometric mean",
               ">its t interval", ">ratio of totals", ">p beyond the margin", ">in the family",
               "tails"});
  for (const auto& versus : sliced.versus) {
    if (versus.metric == Primary::bytes) continue;
    const Judged& judged = versus.judged;
    const Effect& effect = judged.effect;
    const auto p = [](std::optional<double> value) {
      return value ? fmt::format("{:.4f}", *value) : std::string(none);
    };
    table.add({std::string(title_of(versus.metric)), group_name(versus.task, versus.mode),
               plain(versus.reference), signed_percent(effect.estimate),
               signed_percent(effect.geometric), interval_text(effect.student),
               signed_percent(effect.totals), p(judged.p), p(judged.p_holm),
               effect.tail_driven ? "tail-driven" : std::string(none)});
  }
  if (table.empty()) return "";
  return "\n## The same by other estimates\n\n" + table.text() +
         "\nTail-driven: the geometric mean or the ratio of totals lies outside the 95 % interval, "
         "or has the other sign than all of it: few large values say something else than most "
         "do.\n";
}

std::string resolution_section(const Results& results) {
  const SlicedResults& sliced = sliced_of(results);
  if (sliced.twin.empty()) {
    return "\n## Resolution\n\nThe plan has no twin: what this run calls a difference where there "
           "is none is not known.\n";
  }
  Table table(
      {"metric", "group", ">difference of the twin", ">95 % interval", ">resolution", ">rounds"});
  for (const auto& twin : sliced.twins) {
    if (twin.effect.n == 0) continue;
    table.add({std::string(title_of(twin.metric)), group_name(twin.task, twin.mode),
               signed_percent(twin.effect.estimate), interval_text(twin.effect.within95),
               twin.resolution ? "±" + percent(share_of_log(*twin.resolution)) : std::string(none),
               grouped(twin.effect.n)});
  }
  return fmt::format(
      "\n## Resolution\n\nThe twin, {}, is a second copy of {}: whatever differs between them is "
      "noise. Half the width of its interval is what this run resolves; no better or worse is "
      "claimed below it.\n\n{}",
      plain(sliced.twin), plain(sliced.twin_of), table.text());
}

std::string sliced_group_tables(const Results& results) {
  std::string text = "\n## Each group\n";
  for (const auto& group : results.groups) {
    text += fmt::format("\n### {}, {}\n\n", plain(group.task), plain(group.mode));
    if (group.cells.empty()) {
      text += "No arm has a round that counts.\n";
      continue;
    }
    text += latency_table(results, group) + "\n" + size_table(results, group) + marks(results);
  }
  return text +
         "\nOver the sliced rounds, where all arms are up; isolated: where one was. Added over "
         "direct: paired by slice group, Hodges-Lehmann over rounds. p90 needs 100 requests, p95 "
         "200. Private memory is of the isolated rounds: a second copy of a program shares pages "
         "with the first. The last two columns are the measuring side's own CPU a request.\n";
}

std::string gates_section(const Results& results) {
  const Gates& gates = sliced_of(results).gates;
  std::string text = fmt::format("\n## Rounds and gates\n\n{} sliced and {} isolated rounds count.",
                                 gates.sliced, gates.isolated);
  std::size_t discarded = 0;
  std::string causes;
  for (const auto& [cause, n] : gates.discarded) {
    discarded += n;
    causes += fmt::format("{}{}: {}", causes.empty() ? "" : ", ", plain(cause), n);
  }
  text += discarded == 0 ? " None was discarded.\n"
                         : fmt::format(
                               " {} discarded for what went on beside the arms, never for "
                               "their figures ({}):\n",
                               discarded, causes);
  return text + discarded_rounds(sliced_of(results));
}

std::string steadiness_section(const Results& results) {
  const SlicedResults& sliced = sliced_of(results);
  Table trends({"arm", ">flat", ">warming", ">slowing", ">cannot be told", "steady state"});
  for (const auto& one : sliced.trends) {
    const char* steady = one.told() == 0         ? "cannot be told"
                         : one.no_steady_state() ? "no: its figures are of the first requests"
                                                 : "yes";
    trends.add({arm_name(results, one.arm), grouped(one.flat), grouped(one.warming),
                grouped(one.slowing), grouped(one.cannot_be_told), steady});
  }
  std::string text =
      "\n## Steadiness\n\n" + trends.text() +
      "\nEach start and group: the first third of its slices against the last third, "
      "over direct in the same slice groups. More than a fifth that is not flat: no "
      "steady state.\n";
  Table quiet(
      {"arm", ">idle, us of CPU a second", ">deferred, us a request", ">of that in windows"});
  for (const auto& one : sliced.quiet) {
    const bool flagged = one.deferred_share && *one.deferred_share > 0.05;
    quiet.add({arm_name(results, one.arm), optional_text(one.idle_us_per_s, bytes),
               optional_text(one.deferred_us_per_request, bytes),
               optional_text(one.deferred_share, percent) + (flagged ? " !" : "")});
  }
  if (quiet.empty()) return text;
  return text + "\n" + quiet.text() +
         "\nIdle: while no request is in flight. Deferred: CPU between the end of a window and the "
         "next request; over 5 % (!) is work that the windows do not show. Both of isolated "
         "rounds.\n";
}

}  // namespace tare::analysis::markdown
