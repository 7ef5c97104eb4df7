#include "proxy/compact/compact.h"

#include <fmt/format.h>

#include <optional>

#include "proxy/compact/cost.h"
#include "proxy/compact/writer_alert.h"
#include "proxy/compact/writer_json.h"
#include "proxy/compact/writer_mine.h"
#include "proxy/compact/writer_plan.h"
#include "proxy/compact/writer_print.h"

namespace tare::compact {
namespace {

constexpr Cost min_saved = 8 * token;
constexpr Cost max_kept_percent = 88;
constexpr Cost settled_factor = 10;

std::vector<std::string_view> split_lines(std::string_view body) {
  std::vector<std::string_view> lines;
  for (std::size_t begin = 0;;) {
    const std::size_t end = body.find('\n', begin);
    if (end == std::string_view::npos) {
      lines.push_back(body.substr(begin));
      return lines;
    }
    lines.push_back(body.substr(begin, end - begin));
    begin = end + 1;
  }
}

// Alerts that are too many to be exceptional are ordinary lines.
std::vector<bool> find_alerts(const std::vector<std::string_view>& lines, const Options& options) {
  std::vector<bool> alerts(lines.size(), false);
  if (!options.alerts_literal) return alerts;
  std::size_t count = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (is_alert(lines[i])) {
      alerts[i] = true;
      ++count;
    }
  }
  if (count > std::max<std::size_t>(3, lines.size() / 5)) alerts.assign(lines.size(), false);
  return alerts;
}

// Keeps the cheapest form met; all candidates are forms of one text.
class Choice {
 public:
  Choice(const Options& options, Cost text_cost, bool ends_line)
      : options_(options), text_cost_(text_cost), ends_line_(ends_line) {}

  void consider(const Records& records) {
    std::vector<Cost> costs;
    costs.reserve(records.lines.size());
    for (const std::string_view line : records.lines) costs.push_back(estimate(line) + token);
    const auto alerts = find_alerts(records.lines, options_);
    consider(records, costs, alerts, {});
    if (settled()) return;
    auto repeats = find_repeats(records.lines, costs);
    if (!repeats.empty()) consider(records, costs, alerts, std::move(repeats));
  }

  // The form is so small that another could not gain much.
  bool settled() const { return form_ && settled_factor * cost_ <= text_cost_; }

  const std::optional<std::string>& form() const { return form_; }
  Cost cost() const { return cost_; }

 private:
  void consider(const Records& records, std::span<const Cost> costs,
                const std::vector<bool>& alerts, std::vector<Repeat> repeats) {
    std::vector<bool> skip(records.lines.size(), false);
    for (const Repeat& repeat : repeats) {
      const auto begin = skip.begin() + repeat.record;
      std::fill(begin, begin + repeat.period * repeat.times, true);
    }
    auto templates = mine({records.lines, costs, skip, alerts});
    const Plan plan = make_plan(records.lines.size(), std::move(templates), std::move(repeats));
    auto text = print(plan, records, ends_line_);
    if (!text) return;
    const Cost cost = estimate(*text);
    if (form_ && cost >= cost_) return;
    form_ = std::move(text);
    cost_ = cost;
  }

  const Options& options_;
  Cost text_cost_;
  bool ends_line_;
  std::optional<std::string> form_;
  Cost cost_ = 0;
};

bool expands_to(std::string_view form, std::string_view text) {
  const auto back = expand(form, text.size());
  return back.has_value() && *back == text;
}

}  // namespace

Compacted compact(std::string_view text, const Options& options) {
  const bool ends_line = text.ends_with('\n');
  const std::string_view body = ends_line ? text.substr(0, text.size() - 1) : text;
  if (looks_like_form(text)) return {print_verbatim({split_lines(body), {}}, ends_line), true};
  Compacted same{std::string(text), false};
  if (text.size() < options.min_bytes) return same;

  const Cost cost = estimate(text);
  Choice choice(options, cost, ends_line);
  if (const auto document = JsonDocument::read(body)) {
    if (const auto records = document->cut(false)) {
      choice.consider(*records);
      const auto nested = document->cut(true);
      if (nested && nested->lines.size() != records->lines.size()) choice.consider(*nested);
    } else if (const auto whole = document->uncut()) {
      choice.consider(*whole);
    }
  }
  const bool has_lines = body.find('\n') != std::string_view::npos;
  if (!choice.settled() && (!choice.form() || has_lines)) choice.consider({split_lines(body), {}});
  const auto& form = choice.form();
  const bool gains = form && form->size() < text.size() && choice.cost() + min_saved <= cost &&
                     100 * choice.cost() <= max_kept_percent * cost;
  if (!gains || !expands_to(*form, text)) return same;
  return {*form, true};
}

}  // namespace tare::compact
