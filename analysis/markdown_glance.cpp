// The first compressor of the plan against the field, class by class: who sent fewer tokens without
// losing anything, and what those dropped that sent fewer.
#include <fmt/format.h>

#include "analysis/markdown_reporter.h"
#include "analysis/markdown_text.h"

namespace tare::analysis::markdown {
namespace {

double share(const FieldCell& cell) {
  return cell.tokens.sent > 0 ? 100 * cell.tokens.forwarded / cell.tokens.sent : 100;
}

bool is_clean(const FieldCell& cell) {
  return !cell.loses() && cell.false_lines == 0;
}

std::string with_share(const Results& results, const FieldCell& cell) {
  return fmt::format("{} {:.1f}", arm_name(results, cell.arm), share(cell));
}

// Where the tool outputs are whole, what is saved was saved outside them.
std::string fewer_by(const FieldCell& cell) {
  return fmt::format(": fewer{}", cell.tokens.forwarded_outputs < cell.tokens.sent_outputs
                                      ? ""
                                      : ", all of it outside the outputs");
}

// "lost 12 of 40 lines, 3 of 9 literals, 1 of 2 facts; 4 false lines"
std::string dropped(const FieldCell& cell) {
  std::string text;
  const auto add = [&](std::string part) {
    text += (text.empty() ? "lost " : ", ") + std::move(part);
  };
  const auto lost = [&](const Standing& standing, const char* what) {
    if (standing.lost == 0) return;
    add(fmt::format("{} of {} {}", grouped(standing.lost), grouped(standing.of), what));
  };
  lost(cell.lines, "lines");
  lost(cell.literals, "literals");
  lost(cell.facts, "facts");
  if (cell.outputs_gone > 0) add(fmt::format("{} outputs", grouped(cell.outputs_gone)));
  if (cell.false_lines > 0) {
    text += fmt::format("{}{} false lines", text.empty() ? "" : "; ", grouped(cell.false_lines));
  }
  return text;
}

}  // namespace

std::string glance_table(const Results& results) {
  const FieldResults& field = *results.field;
  Table table({"class", ">" + plain(results.subject) + ", %", "fewest of those that lost nothing",
               "sent fewer, and dropped"});
  std::size_t beaten = 0;
  std::size_t unclean = 0;
  for (const auto& class_name : field.classes) {
    const FieldCell* subject = field.find(results.subject, class_name);
    if (subject == nullptr) continue;
    const FieldCell* best = nullptr;
    std::string fewer;
    for (const auto& cell : field.cells) {
      if (cell.class_name != class_name || cell.arm == results.subject) continue;
      if (is_clean(cell) && (best == nullptr || cell.tokens.forwarded < best->tokens.forwarded)) {
        best = &cell;
      }
      if (is_clean(cell) || cell.tokens.forwarded >= subject->tokens.forwarded) continue;
      if (!fewer.empty()) fewer += "; ";
      fewer += fmt::format("{} ({})", with_share(results, cell), dropped(cell));
    }
    const bool more = best != nullptr && best->tokens.forwarded < subject->tokens.forwarded;
    beaten += more ? 1U : 0U;
    unclean += is_clean(*subject) ? 0U : 1U;
    table.add({plain(class_name), fmt::format("{:.1f}", share(*subject)),
               best == nullptr ? std::string(none)
                               : with_share(results, *best) + (more ? fewer_by(*best) : ""),
               fewer.empty() ? std::string(none) : fewer});
  }
  if (table.empty()) return "";
  return fmt::format(
      "\n### {} against the field, class by class\n\nOf the tokens of the whole requests, what was "
      "forwarded, in %. {} lost something or said something false in {} classes; in {} an arm that "
      "lost nothing sent fewer tokens.\n\n{}",
      plain(results.subject), plain(results.subject), unclean, beaten, table.text());
}

}  // namespace tare::analysis::markdown
