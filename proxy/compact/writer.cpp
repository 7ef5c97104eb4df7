#include "proxy/compact/writer.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "proxy/compact/writer_alert.h"
#include "proxy/compact/writer_alias.h"
#include "proxy/compact/writer_headings.h"
#include "proxy/compact/writer_json.h"
#include "proxy/compact/writer_json_string.h"
#include "proxy/compact/writer_merge.h"
#include "proxy/compact/writer_mine.h"
#include "proxy/compact/writer_outlook.h"
#include "proxy/compact/writer_plan.h"
#include "proxy/compact/writer_print.h"
#include "proxy/compact/writer_records.h"
#include "proxy/compact/writer_repeat.h"
#include "proxy/compact/writer_sample.h"

namespace tare::compact {
namespace {

constexpr Cost settled_factor = 10;
constexpr std::size_t min_repeated_percent = 10;  // of a large text, for repeats to be looked for

// Keeps the cheapest form met; all candidates are forms of one text.
class Choice {
 public:
  Choice(const Options& options, bool ends_line, const Earlier* earlier,
         std::vector<Piece>* account, const std::stop_token& stop)
      : options_(options),
        ends_line_(ends_line),
        earlier_(earlier),
        account_(account),
        stop_(stop) {}

  void consider(const Records& records) {
    const bool hopeless = records.layout.empty() && !may_have_form(records.lines, stop_);
    if (hopeless && earlier_ == nullptr) return;
    lines_plan_.reset();
    sets_.clear();
    std::vector<Cost> costs;
    costs.reserve(records.lines.size());
    Cost sum = 0;
    for (const std::string_view line : records.lines) {
      if (stop_.stop_requested()) return;
      const Cost cost = estimate(line, stop_);
      costs.push_back(cost + token);
      sum += cost;
    }
    text_cost_ = std::max(text_cost_, sum);
    std::vector<bool> alerts(records.lines.size(), false);
    if (options_.alerts_literal) alerts = find_alerts(records.lines, stop_);
    any_alerts_ = any_alerts_ || std::ranges::find(alerts, true) != alerts.end();
    std::vector<Reference> references;
    if (earlier_ != nullptr && records.layout.empty())
      references = find_references(records.lines, costs, *earlier_, stop_);
    if (hopeless && references.empty()) return;
    if (tells_most(references, costs)) {
      consider(records, costs, alerts, {{}, {}, references});
      if (settled()) return;
    }
    consider(records, costs, alerts, {});
    if (settled()) return;
    const bool large = records.lines.size() > max_mined;
    Repeats repeats;
    if (!large || comes_again(records.lines, min_repeated_percent, stop_))
      repeats = find_repeats(records.lines, costs, {}, !is_plain(), stop_);
    if (!repeats.empty()) consider(records, costs, alerts, repeats);
    if (references.empty() || !lines_plan_) return;
    drop_unearned(references, told_costs(*lines_plan_, costs), *earlier_);
    if (references.empty()) return;
    consider(records, costs, alerts,
             find_repeats(records.lines, costs, std::move(references), !is_plain(), stop_));
  }

  // The form is so small that another could not gain much.
  bool settled() const {
    return stop_.stop_requested() || (best_ && settled_factor * best_->cost <= text_cost_);
  }
  bool empty() const { return !best_; }

  std::optional<Form> take() {
    if (!best_ || stop_.stop_requested()) return std::nullopt;
    if (options_.level == Level::full) {
      if (auto shorter = with_aliases(best_->text, any_alerts_, stop_))
        consider(std::move(*shorter));
    }
    best_->least_text_cost = text_cost_;
    return std::move(best_);
  }

 private:
  void consider(const Records& records, std::span<const Cost> costs,
                const std::vector<bool>& alerts, const Repeats& repeats) {
    const std::vector<bool> told = repeats.told(records.lines.size());
    std::vector<std::uint32_t> numbers(records.lines.size());
    std::iota(numbers.begin(), numbers.end(), 1);
    const MiningInput input{records.lines, costs, told, alerts, !is_plain(), numbers, stop_};
    if (std::ranges::count(told, false) > std::ptrdiff_t{max_mined}) {
      consider_sampled(records, input, repeats);
      return;
    }
    if (repeats.empty()) sets_ = mine(input);
    each_plan(sets_.empty() ? mine(input) : sets_, input, repeats,
              [&](Plan plan) { consider(std::move(plan), records, costs, alerts); });
  }

  void each_plan(std::vector<std::vector<Template>> sets, const MiningInput& input,
                 const Repeats& repeats, auto&& use) const {
    for (auto& templates : sets) {
      if (stop_.stop_requested()) return;
      Plan plan = make_plan(input.records.size(), std::move(templates), repeats, stop_);
      drop_unearned(plan, input.costs, stop_);
      Plan merged = plan;
      use(std::move(plan));
      if (is_plain() || !merge_neighbours(merged, stop_)) continue;
      drop_unearned(merged, input.costs, stop_);
      use(std::move(merged));
    }
  }

  // The templates of the plan that tells a sample best, for all records.
  void consider_sampled(const Records& records, const MiningInput& input, const Repeats& repeats) {
    const Sample sample(input);
    const Records sample_records{sample.records, records.layout};
    std::optional<Plan> best;
    Cost best_cost = 0;
    const MiningInput sample_input = sample.input(!is_plain(), stop_);
    each_plan(mine(sample_input), sample_input, {}, [&](Plan plan) {
      choose_headings(plan, sample.costs, !is_plain(), stop_);
      const auto text = print(plan, sample_records, {.ends_line = ends_line_, .stop = stop_});
      const Cost cost = text ? estimate(*text) : 0;
      if (!text || (best && best_cost <= cost)) return;
      best = std::move(plan);
      best_cost = cost;
    });
    if (!best) return;
    auto templates = match_all(input, *best, sample);
    if (templates.empty() && repeats.empty() && records.layout.empty()) return;
    consider(make_plan(records.lines.size(), std::move(templates), repeats, stop_), records,
             input.costs, input.alert);
  }

  void consider(Plan plan, const Records& records, std::span<const Cost> costs,
                const std::vector<bool>& alerts) {
    choose_headings(plan, costs, !is_plain(), stop_);
    PrintOptions how{.ends_line = ends_line_, .earlier = earlier_, .stop = stop_};
    auto text = print(plan, records, how);
    if (!text) return;
    const std::optional<Cost> best = best_ ? std::optional(best_->cost) : std::nullopt;
    const Cost cost = consider(std::move(*text));
    if (options_.level == Level::full) {
      how.ditto = true;
      if (auto marked = print(plan, records, how)) consider(std::move(*marked));
    }
    if (account_ != nullptr && (!best || best_->cost < *best))
      *account_ = account_of(plan, costs, alerts, earlier_);
    if (earlier_ == nullptr || (lines_plan_ && lines_cost_ <= cost)) return;
    lines_plan_ = std::move(plan);
    lines_cost_ = cost;
  }

  Cost consider(std::string text) {
    const Cost cost = estimate(text, stop_);
    if (!best_ || cost < best_->cost) best_ = Form{std::move(text), cost, 0};
    return cost;
  }

  bool is_plain() const { return options_.level == Level::plain; }

  static bool tells_most(std::span<const Reference> references, std::span<const Cost> costs) {
    Cost told = 0;
    for (const Reference& reference : references) {
      const auto own = costs.subspan(reference.record, reference.length);
      told = std::accumulate(own.begin(), own.end(), told);
    }
    return 10 * told >= 9 * std::accumulate(costs.begin(), costs.end(), Cost{0});
  }

  const Options& options_;
  bool ends_line_;
  Cost text_cost_ = 0;  // at least: of the tokens between blanks and line ends
  const Earlier* earlier_;
  std::vector<Piece>* account_;
  const std::stop_token& stop_;
  std::optional<Form> best_;
  bool any_alerts_ = false;
  // What all of the records considered last may share: holds for what repeats leave of them too.
  std::vector<std::vector<Template>> sets_;
  // Of the records considered last, where references are to be held against it.
  std::optional<Plan> lines_plan_;
  Cost lines_cost_ = 0;
};

// Calls `consider` with each way to see the text as JSON records or as lines that may be worth it.
template <typename Consider>
void for_each_view(std::string_view text, const Choice& choice, const std::stop_token& stop,
                   Consider consider) {
  if (const auto document = JsonDocument::read(text, stop)) {
    const auto records = document->cut(false);
    const auto nested = document->cut(true);
    if (records) consider(*records);
    if (nested && (!records || nested->lines.size() != records->lines.size())) consider(*nested);
    const auto whole = records || nested ? std::nullopt : document->uncut();
    if (whole) consider(*whole);
  }
  if (choice.settled()) return;
  if (choice.empty() || text.find('\n') != std::string_view::npos)
    consider(Records{split_lines(text)});
}

// The records of what a string says, with the lines of the document around it.
Records within(const JsonString& string, const Records& inside) {
  Records all{split_lines(string.before), inside.layout};
  all.string_first = all.lines.size();
  all.lines.insert(all.lines.end(), inside.lines.begin(), inside.lines.end());
  all.string_end = all.lines.size();
  const auto after = split_lines(string.after);
  all.lines.insert(all.lines.end(), after.begin(), after.end());
  return all;
}

}  // namespace

std::optional<Form> write_form(std::string_view text, const Options& options,
                               const Earlier* earlier, std::vector<Piece>* account,
                               const std::stop_token& stop) {
  const bool ends_line = text.ends_with('\n');
  const std::string_view body = ends_line ? text.substr(0, text.size() - 1) : text;
  Choice choice(options, ends_line, earlier, account, stop);
  if (const auto string = find_long_string(body, stop)) {
    for_each_view(string->inside, choice, stop,
                  [&](const Records& records) { choice.consider(within(*string, records)); });
    if (choice.settled()) return choice.take();
  }
  for_each_view(body, choice, stop, [&](const Records& records) { choice.consider(records); });
  return choice.take();
}

std::optional<Form> write_repeat(std::string_view text, const Earlier& earlier) {
  const auto equal = earlier.find_equal(text);
  if (!equal) return std::nullopt;
  const bool ends_line = text.ends_with('\n');
  const std::uint32_t lines = earlier.line_count(*equal);
  const Reference whole{0, lines, *equal, 0, true};
  auto form = print_reference(whole, earlier, ends_line);
  const Cost cost = estimate(form);
  return Form{std::move(form), cost, 0};
}

}  // namespace tare::compact
