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
  const bool outside = cell.tokens.forwarded < cell.tokens.sent &&
                       cell.tokens.forwarded_outputs >= cell.tokens.sent_outputs;
  return outside ? ": fewer, all of it outside the outputs" : ": fewer";
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

bool has_all_in_request(const FieldCell& cell) {
  return cell.lines.recoverable + cell.literals.recoverable + cell.facts.recoverable == 0;
}

// The cheapest of the others that lost nothing and said nothing false.
const FieldCell* cheapest(const Results& results, const FieldResults& field,
                          const std::string& class_name, bool in_request) {
  const FieldCell* best = nullptr;
  for (const auto& cell : field.cells) {
    if (cell.class_name != class_name || cell.arm == results.subject) continue;
    if (!is_clean(cell) || has_all_in_request(cell) != in_request) continue;
    if (best == nullptr || cell.tokens.forwarded < best->tokens.forwarded) best = &cell;
  }
  return best;
}

std::string cheapest_text(const Results& results, const FieldCell* cell, bool fewer) {
  if (cell == nullptr) return std::string(none);
  return with_share(results, *cell) + (fewer ? fewer_by(*cell) : "");
}

// Those that lost something, or said something false, for fewer tokens.
std::string dropped_by_others(const Results& results, const FieldResults& field,
                              const FieldCell& subject) {
  std::string text;
  for (const auto& cell : field.cells) {
    if (cell.class_name != subject.class_name || is_clean(cell)) continue;
    if (cell.tokens.forwarded >= subject.tokens.forwarded) continue;
    if (!text.empty()) text += "; ";
    text += fmt::format("{} ({})", with_share(results, cell), dropped(cell));
  }
  return text.empty() ? std::string(none) : text;
}

}  // namespace

std::string glance_table(const Results& results, const FieldResults& field) {
  const std::string subject_name = plain(results.subject);
  Table table({"class", ">" + subject_name + ", %", "fewest with nothing lost, all in the request",
               "fewest with nothing lost, parts behind markers", "sent fewer, and dropped"});
  std::size_t unclean = 0;
  std::size_t beaten_within = 0;
  std::size_t beaten_behind = 0;
  for (const auto& class_name : field.classes) {
    const FieldCell* subject = field.find(results.subject, class_name);
    if (subject == nullptr) continue;
    const auto is_fewer = [&](const FieldCell* cell) {
      return cell != nullptr && cell->tokens.forwarded < subject->tokens.forwarded;
    };
    const FieldCell* within = cheapest(results, field, class_name, true);
    const FieldCell* behind = cheapest(results, field, class_name, false);
    unclean += is_clean(*subject) ? 0U : 1U;
    beaten_within += is_fewer(within) ? 1U : 0U;
    beaten_behind += is_fewer(behind) ? 1U : 0U;
    table.add({plain(class_name), fmt::format("{:.1f}", share(*subject)),
               cheapest_text(results, within, is_fewer(within)),
               cheapest_text(results, behind, is_fewer(behind)),
               dropped_by_others(results, field, *subject)});
  }
  if (table.empty()) return "";
  return fmt::format("\n### {} against the field, class by class\n\n", subject_name) +
         "Of the tokens of the whole requests, what was forwarded, in %. " +
         fmt::format("{} lost something or said something false in {} classes. ", subject_name,
                     unclean) +
         fmt::format(
             "An arm that lost and falsified nothing sent fewer tokens in {} classes with "
             "all of it in the request, and in {} with parts behind markers: ",
             beaten_within, beaten_behind) +
         "what stands there is not before the model unless it asks for it.\n\n" + table.text();
}

}  // namespace tare::analysis::markdown
