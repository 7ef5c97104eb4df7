#include "proxy/compact/writer_choice.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

#include "proxy/compact/writer_alert.h"
#include "proxy/compact/writer_alias.h"
#include "proxy/compact/writer_headings.h"
#include "proxy/compact/writer_merge.h"
#include "proxy/compact/writer_outlook.h"
#include "proxy/compact/writer_print.h"
#include "proxy/compact/writer_refine.h"
#include "proxy/compact/writer_sample.h"
#include "proxy/compact/writer_twins.h"

namespace tare::compact {
namespace {

static_assert(max_mined <= Refiner::max_rows);

constexpr std::size_t min_repeated_percent = 10;  // of a large text, for repeats to be looked for

bool tells_most(std::span<const Reference> references, std::span<const LineCost> costs) {
  Cost told = 0;
  for (const Reference& reference : references) {
    const auto own = costs.subspan(reference.record, reference.length);
    told = std::accumulate(own.begin(), own.end(), told);
  }
  return 10 * told >= 9 * std::accumulate(costs.begin(), costs.end(), Cost{0});
}

}  // namespace

void Choice::consider(const Records& records) {
  const bool hopeless = records.layout.empty() && !may_have_form(records.lines, stop_);
  if (hopeless && how_.earlier == nullptr) return;
  lines_plan_.reset();
  sets_.clear();
  std::vector<LineCost> costs;
  costs.reserve(records.lines.size());
  Cost sum = 0;
  const std::vector<std::uint32_t> twins = find_twins(records.lines, stop_);
  for (std::size_t i = 0; i < records.lines.size(); ++i) {
    if (stop_.stop_requested()) return;
    costs.push_back(twins[i] < i ? costs[twins[i]]
                                 : line_cost(estimate(records.lines[i], stop_) + token));
    sum += costs.back() - token;
  }
  text_cost_ = std::max(text_cost_, sum);
  const std::vector<bool> alerts = alerts_of(records, twins);
  std::vector<Reference> references;
  if (how_.earlier != nullptr && records.layout.empty())
    references = find_references(records.lines, costs, *how_.earlier, stop_);
  if (hopeless && references.empty()) return;
  if (tells_most(references, costs)) {
    consider(records, costs, alerts, twins, {{}, {}, references});
    if (settled()) return;
  }
  consider(records, costs, alerts, twins, {});
  if (settled()) return;
  const bool large = records.lines.size() > max_mined;
  Repeats repeats;
  if (!large || comes_again(records.lines, min_repeated_percent, stop_))
    repeats = find_repeats(records.lines, costs, {}, !is_plain(), stop_);
  if (!repeats.empty()) consider(records, costs, alerts, twins, repeats);
  // Without a plan the lines would stay as they are, which is what references were found against.
  if (lines_plan_) drop_unearned(references, told_costs(*lines_plan_, costs), *how_.earlier);
  if (references.empty()) return;
  consider(records, costs, alerts, twins,
           find_repeats(records.lines, costs, std::move(references), !is_plain(), stop_));
}

std::optional<Form> Choice::take() {
  if (!best_ || stop_.stop_requested()) return std::nullopt;
  if (how_.options.level == Level::full) {
    if (auto shorter = with_aliases(best_->text, any_alerts_, stop_)) {
      const Cost cost = estimate(*shorter, stop_);
      consider({std::move(*shorter), cost, 0});
    }
  }
  best_->least_text_cost = text_cost_;
  return std::move(best_);
}

void Choice::consider(const Records& records, std::span<const LineCost> costs,
                      const std::vector<bool>& alerts, std::span<const std::uint32_t> twins,
                      const Repeats& repeats) {
  const std::vector<bool> told = repeats.told(records.lines.size());
  const bool sampled = std::ranges::count(told, false) > std::ptrdiff_t{max_mined};
  std::vector<std::uint32_t> numbers(sampled ? 0 : records.lines.size());
  std::iota(numbers.begin(), numbers.end(), records.first_line + 1);
  const MiningInput input{records.lines, costs, told, alerts, twins, !is_plain(), numbers, stop_};
  if (sampled) {
    consider_sampled(records, input, repeats);
    return;
  }
  if (repeats.empty()) sets_ = mine(input);
  std::vector<std::vector<Template>> anew;
  if (sets_.empty()) anew = mine(input);
  for (const std::vector<Template>& templates : sets_.empty() ? anew : sets_) {
    each_plan(templates, input, repeats,
              [&](Plan& plan) { consider(plan, records, costs, alerts); });
  }
}

// Calls `use` with plans of these templates, which it may put headings into. Returns the last,
// which has the templates of all.
Plan Choice::each_plan(std::vector<Template> templates, const MiningInput& input,
                       const Repeats& repeats, auto&& use) const {
  if (stop_.stop_requested()) return {};
  Plan plan = make_plan(input.records.size(), std::move(templates), repeats, stop_);
  drop_unearned(plan, input.costs, stop_);
  use(plan);
  if (is_plain() || !merge_neighbours(plan, stop_)) return plan;
  drop_unearned(plan, input.costs, stop_);
  use(plan);
  return plan;
}

void Choice::consider_sampled(const Records& records, const MiningInput& input,
                              const Repeats& repeats) {
  auto templates = sampled_templates(records, input);
  if (!templates || (templates->empty() && repeats.empty() && records.layout.empty())) return;
  Plan plan = make_plan(records.lines.size(), std::move(*templates), repeats, stop_);
  consider(plan, records, input.costs, input.alert);
}

// The templates of the plan that tells a sample best, for all records; nothing when no plan can be
// printed.
std::optional<std::vector<Template>> Choice::sampled_templates(const Records& records,
                                                               const MiningInput& input) const {
  const Sample sample(input, records);
  std::vector<Template> best;
  std::optional<Cost> best_cost;
  const MiningInput sample_input = sample.input(!is_plain(), stop_);
  for (std::vector<Template>& set : mine(sample_input)) {
    std::optional<std::vector<bool>> used;  // of the templates, where a plan is better
    Plan tried = each_plan(std::move(set), sample_input, {}, [&](Plan& plan) {
      choose_headings(plan, sample.costs, !is_plain(), stop_);
      const auto text = print(plan, sample.records, {.ends_line = how_.ends_line, .stop = stop_});
      const Cost cost = text ? estimate(*text) : 0;
      if (!text || (best_cost && *best_cost <= cost)) return;
      used = templates_used(plan);
      best_cost = cost;
    });
    if (!used) continue;
    best.clear();
    for (std::size_t i = 0; i < used->size(); ++i) {
      if ((*used)[i]) best.push_back(std::move(tried.templates[i]));
    }
  }
  if (!best_cost) return std::nullopt;
  return match_all(input, best, sample, records.first_line);
}

void Choice::consider(Plan& plan, const Records& records, std::span<const LineCost> costs,
                      const std::vector<bool>& alerts) {
  choose_headings(plan, costs, !is_plain(), stop_);
  PrintOptions how{.ends_line = how_.ends_line, .earlier = how_.earlier, .stop = stop_};
  auto text = print(plan, records, how);
  if (!text) return;
  const std::optional<Cost> best = best_ ? std::optional(best_->cost) : std::nullopt;
  const Cost cost = estimate(*text, stop_);
  consider({std::move(*text), cost, 0}, plan, false);
  if (how_.options.level == Level::full) {
    how.ditto = true;
    if (auto marked = print(plan, records, how)) {
      const Cost marked_cost = estimate(*marked, stop_);
      consider({std::move(*marked), marked_cost, 0}, plan, true);
    }
  }
  if (how_.account != nullptr && (!best || best_->cost < *best))
    *how_.account = account_of(plan, costs, alerts, how_.earlier);
  if (how_.earlier == nullptr || (lines_plan_ && lines_cost_ <= cost)) return;
  lines_plan_ = plan;
  lines_cost_ = cost;
}

void Choice::consider(Form form, const Plan& plan, bool ditto) {
  const Cost before = best_ ? best_->cost : std::numeric_limits<Cost>::max();
  consider(std::move(form));
  if (how_.keeps_plan && best_->cost < before) planned_ = Planned{plan, ditto, best_->cost};
}

void Choice::consider(Form form) {
  if (best_ && best_->cost <= form.cost) return;
  best_.reset();  // first, so that the two are not held at once while this one is cut to size
  form.text.shrink_to_fit();
  best_ = std::move(form);
}

std::vector<bool> Choice::alerts_of(const Records& records, std::span<const std::uint32_t> twins) {
  if (!how_.options.alerts_literal) return std::vector<bool>(records.lines.size(), false);
  std::vector<bool> alerts = find_alerts(records.lines, twins, stop_);
  const auto count = static_cast<std::size_t>(std::ranges::count(alerts, true));
  if (!records.is_part && !are_few(count, alerts.size())) alerts.assign(alerts.size(), false);
  any_alerts_ = any_alerts_ || std::ranges::find(alerts, true) != alerts.end();
  return alerts;
}

}  // namespace tare::compact
