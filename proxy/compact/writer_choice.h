// Keeps the cheapest form met; all candidates are forms of one text, or of one part of it.
#pragma once

#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "proxy/compact/compact.h"
#include "proxy/compact/cost.h"
#include "proxy/compact/writer.h"
#include "proxy/compact/writer_account.h"
#include "proxy/compact/writer_mine.h"
#include "proxy/compact/writer_plan.h"
#include "proxy/compact/writer_records.h"
#include "proxy/compact/writer_repeat.h"

namespace tare::compact {

// What all candidates have in common. Belongs to the caller of a Choice.
struct ChoiceOptions {
  const Options& options;
  bool ends_line = false;  // the text does
  const Earlier* earlier = nullptr;
  std::vector<Piece>* account = nullptr;  // gets the pieces of the cheapest form
  bool keeps_plan = false;                // for take_plan()
  const std::stop_token& stop;
};

class Choice {
 public:
  explicit Choice(const ChoiceOptions& how) : how_(how), stop_(how.stop) {}

  // Looks for forms of the text seen as these records.
  void consider(const Records& records);
  void consider(Form form);

  // The form is so small that another could not gain much, or a stop was requested.
  bool settled() const {
    return stop_.stop_requested() || (best_ && settled_factor * best_->cost <= text_cost_);
  }
  bool empty() const { return !best_; }
  Cost text_cost() const { return text_cost_; }

  std::optional<Form> take();
  // Instead: the plan that gave the cheapest form.
  struct Planned {
    Plan plan;
    bool ditto = false;
    Cost cost = 0;
  };
  std::optional<Planned> take_plan() { return std::move(planned_); }

 private:
  static constexpr Cost settled_factor = 10;

  bool is_plain() const { return how_.options.level == Level::plain; }
  void consider(const Records& records, std::span<const LineCost> costs,
                const std::vector<bool>& alerts, std::span<const std::uint32_t> twins,
                const Repeats& repeats);
  Plan each_plan(std::vector<Template> templates, const MiningInput& input, const Repeats& repeats,
                 auto&& use) const;
  std::optional<std::vector<Template>> sampled_templates(const Records& records,
                                                         const MiningInput& input) const;
  void consider_sampled(const Records& records, const MiningInput& input, const Repeats& repeats);
  void consider(Plan& plan, const Records& records, std::span<const LineCost> costs,
                const std::vector<bool>& alerts);
  void consider(Form form, const Plan& plan, bool ditto);
  std::vector<bool> alerts_of(const Records& records, std::span<const std::uint32_t> twins);

  const ChoiceOptions& how_;
  const std::stop_token& stop_;
  Cost text_cost_ = 0;  // at least: of the tokens between blanks and line ends
  std::optional<Form> best_;
  std::optional<Planned> planned_;
  bool any_alerts_ = false;
  // What all of the records considered last may share: holds for what repeats leave of them too.
  std::vector<std::vector<Template>> sets_;
  // Of the records considered last, where references are to be held against it.
  std::optional<Plan> lines_plan_;
  Cost lines_cost_ = 0;
};

}  // namespace tare::compact
