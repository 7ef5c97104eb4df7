// The starts, and what the figures rest on.
#include <fmt/format.h>

#include <set>

#include "analysis/markdown_reporter.h"
#include "analysis/markdown_text.h"
#include "analysis/statistics.h"

namespace tare::analysis::markdown {
namespace {

std::string list(const std::map<std::string, std::size_t>& counts) {
  std::string text;
  for (const auto& [name, n] : counts) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{}: {}", plain(name), grouped(n));
  }
  return text.empty() ? std::string(none) : text;
}

std::string left_out(const Results& results) {
  std::string text;
  for (const auto& arm : results.arms) {
    for (const auto& start : arm.starts) {
      // Those of discarded and cut rounds are not counted either, but ended well.
      if (start.counted || start.row.outcome == "ok") continue;
      text += fmt::format("- {}, round {}: {}{}\n", plain(arm.info.name), start.row.round,
                          plain(start.row.outcome),
                          start.row.reason ? ": " + plain(*start.row.reason) : "");
    }
  }
  return text;
}

// Since when the high-water mark counts: some machines cannot reset it after the warm-up.
std::string peak_since(const ArmResult& arm) {
  std::set<std::string> since;
  for (const auto& start : arm.starts) {
    if (start.counted && start.row.peak_since) since.insert(*start.row.peak_since);
  }
  return since.empty() ? std::string(none) : plain(fmt::format("{}", fmt::join(since, " or ")));
}

std::string start_up(const Results& results) {
  Table table({"arm", ">starts", ">ready after ms, mean", ">each start", ">first request ms",
               ">CPU ms at ready", ">anonymous MiB at ready", ">peak MiB", "peak since"});
  for (const auto& arm : results.arms) {
    const Figures& f = arm.figures;
    std::size_t counted = 0;
    std::string each;
    for (const auto& start : arm.starts) {
      if (!start.alone) continue;
      ++counted;
      if (!start.ready_ms) continue;
      if (!each.empty()) each += " / ";
      each += milliseconds(*start.ready_ms);
    }
    if (counted == 0) continue;
    if (each.empty()) each = none;
    table.add({arm_name(results, arm.info.name), grouped(counted), text_of(f.at(metrics::ready)),
               each, text_of(f.at(metrics::first_request)), text_of(f.at(metrics::cpu_at_ready)),
               optional_text(f.value(metrics::anon_at_ready), mebibytes),
               optional_text(f.value(metrics::peak), mebibytes), peak_since(arm)});
  }
  return table.text();
}

std::string grades(const ArmResult& arm) {
  std::string text;
  for (const auto& start : arm.starts) {
    if (!start.counted) continue;
    if (!text.empty()) text += " ";
    text += plain(start.row.grade.value_or(std::string(none)));
  }
  return text;
}

// The largest |cgroup - wait4| of the counted starts, as a share of wait4's.
std::optional<double> largest_disagreement(const ArmResult& arm) {
  std::vector<double> shares;
  for (const auto& start : arm.starts) {
    const auto& row = start.row;
    if (!start.counted || !row.cpu_total_us || !row.rusage_total_us) continue;
    const double difference = static_cast<double>(*row.cpu_total_us - *row.rusage_total_us);
    const auto share = ratio(std::abs(difference), static_cast<double>(*row.rusage_total_us));
    if (share) shares.push_back(*share);
  }
  return largest(shares);
}

std::string cross_check(const Results& results) {
  constexpr double flagged = 0.05;
  Table table({"arm", ">CPU ms a request, in windows", ">ready to end", ">gap",
               "cross-check of each start", ">largest disagreement"});
  for (const auto& arm : results.arms) {
    const auto window = arm.figures.value(metrics::window_cpu);
    const auto life = arm.figures.value(metrics::life_cpu);
    if (!window && !life) continue;
    std::string gap(none);
    if (const auto share = ratio(life, window)) {
      gap = percent(*share - 1) + (std::abs(*share - 1) > flagged ? " !" : "");
    }
    table.add({arm_name(results, arm.info.name), optional_text(window, milliseconds),
               optional_text(life, milliseconds), gap, grades(arm),
               optional_text(largest_disagreement(arm), percent)});
  }
  return table.text();
}

std::string arms_section(const Results& results) {
  Table table({"arm", "what it is", "kind", "version", "licence", "lossless, it says", "degraded"});
  std::string notes;
  for (const auto& arm : results.arms) {
    const ArmInfo& info = arm.info;
    std::string version = plain(info.version.value_or(std::string(none)));
    if (!info.installed) version = "not installed";
    table.add({arm_name(results, info.name), plain(info.title), plain(info.kind), version,
               plain(info.licence), info.claims_lossless ? "yes" : "no",
               info.degraded.empty() ? std::string(none)
                                     : plain(fmt::format("{}", fmt::join(info.degraded, ", ")))});
    if (!info.command.empty()) {
      notes += fmt::format("- {}: `{}`\n", plain(info.name),
                           plain(fmt::format("{}", fmt::join(info.command, " "))));
    }
    const auto removed = results.info.plan.removed_arguments.find(info.name);
    if (removed != results.info.plan.removed_arguments.end()) {
      notes += fmt::format("- {}: started without `{}`\n", plain(info.name),
                           plain(fmt::format("{}", fmt::join(removed->second, " "))));
    }
    for (const auto& [file, sha256] : info.files) {
      notes +=
          fmt::format("- {}: {} has SHA-256 {}\n", plain(info.name), plain(file), plain(sha256));
    }
    for (const auto& note : info.notes) {
      notes += fmt::format("- {}: {}\n", plain(info.name), plain(note));
    }
  }
  return "\n## Arms\n\n" + table.text() + (notes.empty() ? "" : "\n" + notes);
}

std::string events_section(const Results& results) {
  constexpr std::size_t shown = 20;
  std::string text;
  std::size_t n = 0;
  for (const auto& event : results.events) {
    if (++n > shown) continue;
    text += fmt::format(
        "- {}{}{}: {}\n", plain(event.kind), event.arm ? ", " + plain(*event.arm) : "",
        event.round ? fmt::format(", round {}", *event.round) : "", plain(event.message));
  }
  if (n > shown) text += fmt::format("- and {} more in events.jsonl\n", n - shown);
  return text;
}

}  // namespace

std::string start_tables(const Results& results) {
  std::string text =
      "\n## Starts\n\n" + start_up(results) + "\n" + cross_check(results) + marks(results);
  text +=
      "\nFirst request: the mean of each start's first, a warm-up. Peak: the largest high-water "
      "mark "
      "of all memory charged to the tree. Ready to end: the CPU of the "
      "whole life but its start-up, over all requests, warm-ups and the stop included; a gap over "
      "5 "
      "% (!) is work outside the measured windows. Cross-check: A when the cgroup and wait4 agree "
      "within max(2 %, 10 ms), B when measured by the fallback.\n";
  if (const std::string starts = left_out(results); !starts.empty()) {
    text += "\nFigures left out, of starts that did not end well:\n\n" + starts;
  }
  return text;
}

std::string arrivals(const Results& results) {
  Table table({"arm", "starts by outcome", "warm-up requests by status",
               "measured requests by status", ">wrong replies"});
  for (const auto& arm : results.arms) {
    table.add({arm_name(results, arm.info.name), list(arm.outcomes), list(arm.warmup_statuses),
               list(arm.measured_statuses), grouped(arm.wrong_replies)});
  }
  std::string text = "\n## What came\n\n" + table.text() + marks(results);
  if (const std::string starts = left_out(results); !starts.empty()) {
    text += "\nStarts that did not end well:\n\n" + starts;
  }
  return text;
}

std::string background(const Results& results, const Comparison* comparison) {
  std::string text;
  std::string findings = events_section(results);
  for (const auto& finding : results.findings) findings += fmt::format("- {}\n", plain(finding));
  if (!findings.empty()) text += "\n## Events and findings\n\n" + findings;
  text += arms_section(results);
  text += "\n## Environment\n\n";
  for (const auto& [name, value] : results.info.environment.facts) {
    text += fmt::format("- {}: {}\n", plain(name), plain(value));
  }
  text += fmt::format("- plan's SHA-256: {}\n", plain(results.info.plan_sha256));
  text += "\n## Limits\n\n";
  for (const auto limit : general_limits(results)) text += fmt::format("- {}\n", limit);
  for (const auto& limit : results.info.environment.limits) {
    text += fmt::format("- On this machine: {}\n", plain(limit));
  }
  if (comparison != nullptr) {
    for (const auto& limit : comparison->published.limits) {
      text += fmt::format("- Of the published figures: {}\n", plain(limit));
    }
  }
  text +=
      "\nTo check a figure: `tare report DIR --format json` gives it with its n, its unit, its "
      "rows in the raw files and the rule that makes it.\n";
  return text;
}

}  // namespace tare::analysis::markdown
