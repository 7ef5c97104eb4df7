// What each arm kept of what was sent.
#include <fmt/format.h>

#include <set>

#include "analysis/markdown_reporter.h"
#include "analysis/markdown_text.h"

namespace tare::analysis::markdown {
namespace {

std::size_t count_of(const Kept& kept, Change change) {
  const auto at = kept.changes.find(change);
  return at == kept.changes.end() ? 0 : at->second;
}

std::string given_back(const Kept& kept) {
  const std::size_t told = kept.given_back + kept.not_given_back;
  if (told > 0) return fmt::format("{} of {}", grouped(kept.given_back), grouped(told));
  return kept.cannot_be_told.empty() ? "no decoder" : "cannot be told";
}

std::string facts_text(const Kept& kept, std::size_t there) {
  if (kept.facts == 0 && kept.facts_unknown > 0) return "cannot be told";
  return fmt::format("{} of {}", grouped(there), grouped(kept.facts));
}

std::vector<std::string> row(const std::string& arm, const std::string& group, const Kept& kept) {
  return {arm,
          group,
          grouped(kept.pairs),
          grouped(count_of(kept, Change::none)),
          grouped(count_of(kept, Change::outputs_only)),
          grouped(count_of(kept, Change::respelled)),
          grouped(count_of(kept, Change::other)),
          facts_text(kept, kept.facts_kept),
          facts_text(kept, kept.facts_words_kept),
          given_back(kept)};
}

// Byte for byte what was sent, with nothing more to say of it.
bool only_forwarded(const Kept& kept) {
  return count_of(kept, Change::none) == kept.pairs && kept.facts_kept == kept.facts &&
         kept.given_back + kept.not_given_back == 0 && kept.cannot_be_told.empty();
}

// The groups of an arm together, when it only forwarded in each: six equal rows say no more.
std::optional<Kept> only_forwarded_in_each(const std::vector<std::pair<std::string, Kept>>& kept) {
  Kept all;
  for (const auto& [group, one] : kept) {
    if (!only_forwarded(one)) return std::nullopt;
    all.pairs += one.pairs;
    all.changes[Change::none] += one.pairs;
    all.facts += one.facts;
    all.facts_unknown += one.facts_unknown;
    all.facts_kept += one.facts_kept;
    all.facts_words_kept += one.facts_words_kept;
  }
  return all;
}

void add_reasons(const std::string& arm, const std::string& group, const Kept& kept,
                 std::set<std::string>& reasons) {
  for (const auto& [reason, n] : kept.cannot_be_told) {
    reasons.insert(
        fmt::format("{}: whether outputs come back cannot be told, because {}", arm, reason));
  }
  if (const std::size_t unknown = count_of(kept, Change::unknown); unknown > 0) {
    reasons.insert(
        fmt::format("{}, {}: what was changed cannot be told of {} bodies, because one is "
                    "missing, damaged or not JSON",
                    arm, group, unknown));
  }
}

}  // namespace

std::string kept_table(const Results& results) {
  Table table({"arm", "group", ">bodies", ">as sent", ">only outputs changed", ">respelled",
               ">other parts changed", ">facts literally there", ">all words of the fact there",
               ">outputs given back exactly"});
  std::set<std::string> reasons;
  for (const auto& arm : results.arms) {
    std::vector<std::pair<std::string, Kept>> kept;
    for (const auto& group : results.groups) {
      const Cell* cell = group.find(arm.info.name);
      if (cell != nullptr) kept.emplace_back(group.task + "/" + group.mode, cell->kept);
    }
    const std::string name = arm_name(results, arm.info.name);
    const auto all = only_forwarded_in_each(kept);
    if (all && !kept.empty()) table.add(row(name, "each", *all));
    for (const auto& [group, one] : kept) {
      if (!all) table.add(row(name, plain(group), one));
      add_reasons(arm.info.name, group, one, reasons);
    }
  }
  std::string text = "\n## What was kept\n\n" + table.text() + marks(results);
  text +=
      "\nBodies: distinct ones, warm-ups too. As sent: byte for byte. Only outputs changed: every "
      "byte outside the tool outputs is the client's. Respelled: other bytes outside them, but the "
      "same JSON values. Facts: the planted record of each body, literally in a forwarded tool "
      "output; or at least each of its words, somewhere in it: an arm that writes a common prefix "
      "or "
      "a table's head only once keeps the words, not the record, and whether a model still reads "
      "it "
      "is not told here. Given back: the arm's own decoder made each original output again, byte "
      "for byte, "
      "from what was forwarded.\n";
  if (!reasons.empty()) text += "\n";
  for (const auto& reason : reasons) text += fmt::format("- {}\n", plain(reason));
  return text;
}

}  // namespace tare::analysis::markdown
