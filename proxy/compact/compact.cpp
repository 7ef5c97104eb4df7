#include "proxy/compact/compact.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "proxy/compact/cost.h"
#include "proxy/compact/writer.h"
#include "proxy/compact/writer_print.h"

namespace tare::compact {
namespace {

constexpr Cost min_saved = 8 * token;
constexpr Cost max_kept_percent = 88;

bool saves_enough(const Form& form, Cost text_cost) {
  return form.cost + min_saved <= text_cost && 100 * form.cost <= max_kept_percent * text_cost;
}

bool is_worth_it(const Form& form, std::string_view text, const std::stop_token& stop) {
  return form.text.size() < text.size() &&
         (saves_enough(form, form.least_text_cost) || saves_enough(form, estimate(text, stop)));
}

// The form to be used, or why there is none.
struct Choice {
  std::optional<std::string> form;
  std::string why_not;
  std::vector<Piece> pieces;
};

Choice none(std::string why_not) {
  return {std::nullopt, std::move(why_not), {}};
}

// `explained`: the pieces are wanted, and the reasons in figures.
Choice choose(std::string_view text, const Options& options, const Earlier* earlier, bool explained,
              const std::stop_token& stop) {
  if (options.treatment == Treatment::leave) return none("it is to stay");
  if (text.size() < options.min_bytes)
    return none(explained ? fmt::format("it is shorter than {} bytes", options.min_bytes) : "");
  if (earlier != nullptr) {
    auto form = write_repeat(text, *earlier);
    if (form && is_worth_it(*form, text, stop))
      return {std::move(form->text), {}, {{"all lines of an earlier output", 0, 0, form->cost}}};
  }
  if (options.treatment == Treatment::repeats_only)
    return none("it is not all of an earlier output");
  std::vector<Piece> pieces;
  auto form = write_form(text, options, earlier, explained ? &pieces : nullptr, stop);
  if (!form) return none("it looks as if no form could be shorter, or every mark stands in it");
  if (!is_worth_it(*form, text, stop)) {
    return none(explained ? fmt::format("the best form found has {} bytes and about {} tokens, too "
                                        "little less than {} and about {}",
                                        form->text.size(), form->cost / token, text.size(),
                                        estimate(text) / token)
                          : "");
  }
  return {std::move(form->text), {}, std::move(pieces)};
}

}  // namespace

Compacted compact(std::string_view text, const Options& options, const Earlier* earlier,
                  const std::stop_token& stop) {
  if (stop.stop_requested()) return {{}, false, true};
  if (looks_like_form(text)) return {print_verbatim(text), true};
  auto form = choose(text, options, earlier, false, stop).form;
  const bool exact = form && expands_to(*form, text, earlier, stop);
  // What was found after a stop may be less than there is.
  if (stop.stop_requested()) return {{}, false, true};
  if (exact) return {std::move(*form), true};
  return {std::string(text), false};
}

std::string explain(std::string_view text, const Options& options, const Earlier* earlier) {
  if (looks_like_form(text)) return "wrapped: the text looks like a form itself\n";
  const Choice choice = choose(text, options, earlier, true, {});
  if (!choice.form) return "stays as it is: " + choice.why_not + "\n";
  if (!expands_to(*choice.form, text, earlier, {}))
    return "stays as it is: the form does not expand to it, which is a fault of the program\n";
  const Cost before = estimate(text);
  const Cost after = estimate(*choice.form);
  return fmt::format("{} bytes, about {} tokens, become {} bytes, about {} tokens ({} %)\n{}",
                     text.size(), before / token, choice.form->size(), after / token,
                     before > 0 ? 100 * after / before : 100, print_pieces(choice.pieces)) +
         fmt::format("header: {}\n", choice.form->substr(0, choice.form->find('\n')));
}

}  // namespace tare::compact
