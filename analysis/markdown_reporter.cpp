#include "analysis/markdown_reporter.h"

#include <fmt/format.h>

#include "analysis/markdown_sliced.h"
#include "analysis/markdown_text.h"

namespace tare::analysis {
namespace markdown {

std::string arm_name(const Results& results, const std::string& arm) {
  const ArmResult* found = results.find(arm);
  if (found == nullptr || found->mark == 0) return plain(arm);
  return fmt::format("{} [{}]", plain(arm), found->mark);
}

std::string marks(const Results& results) {
  std::string text;
  for (const auto& arm : results.arms) {
    if (arm.mark == 0) continue;
    if (!text.empty()) text += "; ";
    text += fmt::format("[{}] {}", arm.mark,
                        plain(fmt::format("{}", fmt::join(arm.info.degraded, ", "))));
  }
  return text.empty() ? "" : "\n" + text + "\n";
}

namespace {

std::string counted(int n, const char* what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

// Of an arm without any counted start; empty for the others.
std::string why_no_figures(const ArmResult& arm) {
  if (!arm.info.installed) return arm.info.reason.value_or("not installed");
  std::string why = "it was not started";
  for (const auto& start : arm.starts) {
    if (start.counted) return "";
    why = start.row.reason.value_or(start.row.outcome);
  }
  return why;
}

std::string plan_line(const RunInfo& run) {
  const PlanInfo& plan = run.plan;
  const std::string groups = counted(static_cast<int>(plan.groups.size()), "group");
  const std::string design =
      plan.protocol == "sliced"
          ? fmt::format(
                "{} and {}, {}, {} warm-up requests a group and start, {} slice groups a "
                "group and sliced round, one request at a time",
                counted(plan.rounds, "sliced round"),
                counted(plan.isolated_rounds, "isolated round"), groups, plan.warmups,
                plan.slice_groups)
          : fmt::format(
                "{}, {}, {} warm-up and {} measured requests a group and start, one at a "
                "time",
                counted(plan.rounds, "round"), groups, plan.warmups, plan.requests);
  return fmt::format("Plan `{}`: {}. Started {}, by tare {}.\n", plain(plan.name), design,
                     plain(run.started_at), plain(run.harness_version));
}

}  // namespace

std::string head(const Results& results) {
  const RunInfo& run = results.info;
  std::string text = fmt::format("# {}\n\n", plain(run.plan.title));
  if (!run.complete) {
    text += fmt::format(
        "**Incomplete run: {}.** {}; below is what came.\n\n",
        run.reason == "running" ? "it was killed while it ran, or runs still" : plain(run.reason),
        results.figures_given ? "Its figures are those of its whole rounds alone"
                              : "No figures are given from it");
  }
  if (results.damaged) {
    text +=
        "**Some raw data is missing or damaged**; what is whole was used, and each figure's n "
        "says how much that is:\n\n";
  }
  for (const auto& warning : results.warnings) text += fmt::format("- {}\n", plain(warning));
  if (!results.warnings.empty()) text += "\n";
  text += plan_line(run);
  if (results.sliced) {
    text += fmt::format(
        "\nLosses stand in the same tables as gains; \"{}\" is what was not measured or cannot be "
        "told.\n",
        none);
  } else if (results.figures_given) {
    text += fmt::format(
        "\n{}: no intervals and no verdicts are given. Losses stand in the same tables as "
        "gains; \"{}\" is what was not measured or cannot be told.\n",
        counted(run.plan.rounds, "round"), none);
  }
  for (const auto& arm : results.arms) {
    const std::string why = why_no_figures(arm);
    if (why.empty() || (!results.figures_given && arm.info.installed)) continue;
    text += fmt::format("\n**{} has no figures**: {}.\n", plain(arm.info.name), plain(why));
  }
  return text;
}

std::string summary_table(const Results& results) {
  std::vector<std::string> titles{"task", "mode"};
  std::vector<std::string> arms;
  for (const auto& arm : results.arms) {
    for (const auto& group : results.groups) {
      if (group.find(arm.info.name) == nullptr) continue;
      arms.push_back(arm.info.name);
      titles.push_back(">" + arm_name(results, arm.info.name) + ", mean ms");
      break;
    }
  }
  titles.push_back(">CPU reduction");
  Table table(titles);
  for (const auto& group : results.groups) {
    std::vector<std::string> row{group.task, group.mode};
    for (const auto& arm : arms) {
      const Cell* cell = group.find(arm);
      row.push_back(cell == nullptr ? std::string(none)
                                    : text_of(cell->figures.at(metrics::mean_latency)));
    }
    row.push_back(text_of(group.cpu_reduction));
    table.add(std::move(row));
  }
  std::string text = "\n## Mean latency and CPU\n\n" + table.text() + marks(results);
  if (!results.baseline.empty()) {
    text += fmt::format(
        "\nCPU reduction = 1 - CPU({}) / CPU({}), of the process trees in the "
        "measured windows.\n",
        plain(results.subject), arm_name(results, results.baseline));
  }
  return text;
}

namespace {

std::string round_values(const Cell& cell, const Metric& metric) {
  std::string text;
  for (const auto& round : cell.rounds) {
    if (!text.empty()) text += " / ";
    text += text_of(round.figures.at(metric));
  }
  return text;
}

std::string memory(const Figures& figures, const Metric& metric) {
  return optional_text(figures.value(metric), mebibytes);
}

// "927 (4.6 %)": of what was sent.
std::string with_share(const Figure& part, const Figure& whole) {
  if (!part.value || !whole.value || !(*whole.value > 0)) return text_of(part);
  return fmt::format("{} ({})", text_of(part), percent(*part.value / *whole.value));
}

std::string latency_table(const Results& results, const GroupResult& group) {
  Table table({"arm", ">n", ">failed", ">mean ms", ">median", ">p90", ">p95", ">mean of each round",
               ">added mean", ">added median", ">CPU ms a request"});
  for (const auto& cell : group.cells) {
    const Figures& f = cell.figures;
    table.add({arm_name(results, cell.arm), text_of(f.at(metrics::requests)),
               text_of(f.at(metrics::failures)), text_of(f.at(metrics::mean_latency)),
               text_of(f.at(metrics::median_latency)), text_of(f.at(metrics::p90_latency)),
               text_of(f.at(metrics::p95_latency)), round_values(cell, metrics::mean_latency),
               text_of(f.at(metrics::added_mean)), text_of(f.at(metrics::added_median)),
               text_of(f.at(metrics::cpu))});
  }
  return table.text();
}

}  // namespace

std::string size_table(const Results& results, const GroupResult& group) {
  const bool counted = results.tokens_counted;
  const auto& sent_tokens = counted ? metrics::sent_tokens : metrics::estimated_sent_tokens;
  const auto& forwarded_tokens =
      counted ? metrics::forwarded_tokens : metrics::estimated_forwarded_tokens;
  Table table({"arm", ">forwarded bytes", counted ? ">tokens, o200k_base" : ">tokens, estimate",
               ">anonymous MiB, end", ">largest", ">private MiB", ">client's CPU ms",
               ">upstream's CPU ms"});
  for (const auto& cell : group.cells) {
    const Figures& f = cell.figures;
    const Figures& alone = results.sliced ? cell.isolated : f;
    table.add({arm_name(results, cell.arm),
               with_share(f.at(metrics::forwarded_bytes), f.at(metrics::sent_bytes)),
               with_share(f.at(forwarded_tokens), f.at(sent_tokens)), memory(f, metrics::anon_end),
               memory(f, metrics::anon_largest), memory(alone, metrics::private_largest),
               text_of(f.at(metrics::harness_cpu)), text_of(f.at(metrics::upstream_cpu))});
  }
  return table.text();
}

std::string group_tables(const Results& results) {
  std::string text = "\n## Each group\n";
  for (const auto& group : results.groups) {
    text += fmt::format("\n### {}, {}\n\n", plain(group.task), plain(group.mode));
    if (group.cells.empty()) {
      text += "No arm has a start that ended well.\n";
      continue;
    }
    const Figures& first = group.cells.front().figures;
    text += fmt::format("Sent: {} bytes, {} tokens of tool output (mean of the requests).\n\n",
                        text_of(first.at(metrics::sent_bytes)),
                        results.tokens_counted
                            ? text_of(first.at(metrics::sent_tokens))
                            : "about " + text_of(first.at(metrics::estimated_sent_tokens)));
    text += latency_table(results, group) + "\n" + size_table(results, group) + marks(results);
  }
  text +=
      "\nAdded: over direct, in the same round, then the mean of the rounds. p90 needs 100 "
      "requests, "
      "p95 200. Anonymous memory: mean at the windows' ends, and the largest seen at a window's "
      "begin or end. Private: largest sum over the tree of Private_Clean + Private_Dirty around a "
      "window. The last two columns are the measuring side's own CPU a request.\n";
  return text;
}

std::vector<Section> sections(const Results& results, const Comparison* comparison) {
  std::vector<Section> all{{Part::head, head(results)}};
  const std::string published = comparison == nullptr ? "" : published_tables(results, *comparison);
  if (!results.figures_given) {
    all.push_back({Part::rest, arrivals(results) + published});
  } else if (results.sliced) {
    all.push_back({Part::verdicts, verdicts_at_a_glance(results)});
    all.push_back({Part::rest, verdict_tables(results) + other_estimates(results) +
                                   resolution_section(results)});
    all.push_back({Part::gates, gates_section(results)});
    all.push_back({Part::groups, sliced_group_tables(results)});
    all.push_back({Part::rest, steadiness_section(results) + published});
    all.push_back({Part::kept, kept_table(results)});
    all.push_back({Part::field, field_section(results)});
    all.push_back({Part::starts, start_tables(results)});
  } else {
    all.push_back({Part::verdicts, summary_table(results) + published});
    all.push_back({Part::groups, group_tables(results)});
    all.push_back({Part::kept, kept_table(results)});
    all.push_back({Part::field, field_section(results)});
    all.push_back({Part::starts, start_tables(results)});
  }
  all.push_back({Part::rest, background(results, comparison)});
  return all;
}

}  // namespace markdown

std::string MarkdownReporter::write(const Results& results, const Comparison* comparison) const {
  std::string text;
  for (const auto& section : markdown::sections(results, comparison)) text += section.text;
  return text;
}

}  // namespace tare::analysis
