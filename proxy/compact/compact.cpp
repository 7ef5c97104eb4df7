#include "proxy/compact/compact.h"

#include <optional>

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

bool is_worth_it(const Form& form, std::string_view text) {
  return form.text.size() < text.size() &&
         (saves_enough(form, form.least_text_cost) || saves_enough(form, estimate(text)));
}

// The form to be used, when there is one and it is worth it.
std::optional<std::string> best_form(std::string_view text, const Options& options,
                                     const Earlier* earlier) {
  if (earlier != nullptr) {
    auto form = write_repeat(text, *earlier);
    if (form && is_worth_it(*form, text)) return std::move(form->text);
  }
  if (options.repeats_only) return std::nullopt;
  auto form = write_form(text, options, earlier);
  if (!form || !is_worth_it(*form, text)) return std::nullopt;
  return std::move(form->text);
}

bool expands_to(std::string_view form, std::string_view text, const Earlier* earlier) {
  const auto back = expand(form, text.size(), earlier);
  return back.has_value() && *back == text;
}

}  // namespace

Compacted compact(std::string_view text, const Options& options, const Earlier* earlier) {
  if (looks_like_form(text)) return {print_verbatim(text), true};
  if (text.size() >= options.min_bytes) {
    if (auto form = best_form(text, options, earlier); form && expands_to(*form, text, earlier))
      return {std::move(*form), true};
  }
  return {std::string(text), false};
}

}  // namespace tare::compact
