#include "proxy/compact/writer_headings.h"

#include <algorithm>
#include <string>
#include <vector>

#include "proxy/compact/cost.h"

namespace tare::compact {
namespace {
constexpr std::size_t window = 4096;  // items whose headings are chosen together
constexpr Cost heading_cost = 4 * token;
constexpr Cost plain_mark_cost = 2 * token;
constexpr Cost label_cost = 3 * token;     // an instance under another heading
constexpr Cost verbatim_mark_cost = 1300;  // a verbatim record under a heading

// The cheapest way to stand under a heading after some items: a path back through changes.
struct State {
  std::uint32_t heading = no_template;
  Cost cost = 0;
  std::uint32_t step = 0;  // its last change
};
constexpr std::uint32_t no_step = UINT32_MAX;  // yet to be made
// A change to a heading, in front of an item.
struct Step {
  std::uint32_t heading = no_template;
  std::uint32_t previous = 0;
  std::uint32_t item = 0;
};

// What headings and items cost beside what each item costs anyway.
class Prices {
 public:
  Prices(const Plan& plan, std::span<const LineCost> costs, bool labels)
      : plan_(plan), costs_(costs), labels_(labels) {}

  static Cost change_to(std::uint32_t heading) {
    return heading == no_template ? plain_mark_cost : heading_cost;
  }

  Cost item(const Item& item, std::uint32_t heading) {
    const Cost plain = heading == no_template ? 0 : verbatim_mark_cost;
    if (item.kind == Item::Kind::verbatim) return plain;
    if (item.shape == heading) return 0;
    return labels_ ? label_cost : plain + lost_as_verbatim(item);
  }

 private:
  Cost lost_as_verbatim(const Item& item) {
    row_.clear();
    append_row(row_, plan_.templates[item.shape], item.index);
    return Cost{costs_[item.record]} - line_cost(estimate(row_));
  }

  const Plan& plan_;
  std::span<const LineCost> costs_;
  bool labels_;
  std::string row_;
};

bool needs_heading(const Plan& plan, const Item& item) {
  return item.kind == Item::Kind::instance && plan.templates[item.shape].slots > 0;
}

// Rows that only a label could tell.
void drop_unheaded(Plan& plan) {
  for (Item& item : plan.items) {
    if (!needs_heading(plan, item) || item.shape == item.heading) continue;
    item.kind = Item::Kind::verbatim;
    item.shape = no_template;
  }
}

// Dynamic programming over the headings that can still win; each may change at each item. `before`
// is the heading in front of the items; returns the last one.
std::uint32_t choose_headings(std::span<Item> items, std::uint32_t before, const Plan& plan,
                              Prices& prices) {
  const auto depends = [&](const Item& item) {
    return item.kind == Item::Kind::verbatim || needs_heading(plan, item);
  };
  std::vector<Step> steps{{before, 0, 0}};
  std::vector<State> states{{before, 0, 0}};
  std::vector<State> next;
  std::uint32_t free = 0;  // behind the last item that depends on its heading
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    const Item& item = items[i];
    if (!depends(item)) continue;
    const State best =
        *std::min_element(states.begin(), states.end(),
                          [](const State& a, const State& b) { return a.cost < b.cost; });
    next.clear();
    const auto enter = [&](std::uint32_t heading, const State* stay) {
      const Cost change = best.cost + prices.change_to(heading);
      const bool stays = stay != nullptr && stay->cost <= change;
      next.push_back({heading, (stays ? stay->cost : change) + prices.item(item, heading),
                      stays ? stay->step : no_step});
    };
    const auto find = [&](std::uint32_t heading) {
      const auto at = std::find_if(states.begin(), states.end(),
                                   [&](const State& s) { return s.heading == heading; });
      return at == states.end() ? nullptr : &*at;
    };
    for (const State& state : states) enter(state.heading, &state);
    if (find(no_template) == nullptr) enter(no_template, nullptr);
    if (item.kind == Item::Kind::instance && find(item.shape) == nullptr)
      enter(item.shape, nullptr);
    const Cost least =
        std::min_element(next.begin(), next.end(), [](const State& a, const State& b) {
          return a.cost < b.cost;
        })->cost;
    states.clear();
    for (State state : next) {
      if (state.cost >= least + prices.change_to(state.heading))
        continue;  // a change to it later is as cheap
      if (state.step == no_step) {
        steps.push_back({state.heading, best.step, free});
        state.step = static_cast<std::uint32_t>(steps.size() - 1);
      }
      states.push_back(state);
    }
    free = i + 1;
  }
  std::uint32_t step =
      std::min_element(states.begin(), states.end(), [](const State& a, const State& b) {
        return a.cost < b.cost;
      })->step;
  const std::uint32_t last = steps[step].heading;
  for (auto i = static_cast<std::uint32_t>(items.size()); i-- > 0;) {
    items[i].heading = steps[step].heading;
    if (step > 0 && i == steps[step].item) step = steps[step].previous;
  }
  return last;
}

}  // namespace

void choose_headings(Plan& plan, std::span<const LineCost> costs, bool labels,
                     const std::stop_token& stop) {
  const bool any_rows =
      std::ranges::any_of(plan.templates, [](const Template& t) { return t.slots > 0; });
  if (!any_rows) return;
  Prices prices(plan, costs, labels);
  const std::span<Item> items = plan.items;
  std::uint32_t heading = no_template;
  for (std::size_t begin = 0; begin < items.size(); begin += window) {
    if (stop.stop_requested()) return;
    const auto part = items.subspan(begin, std::min(window, items.size() - begin));
    heading = choose_headings(part, heading, plan, prices);
  }
  if (!labels) drop_unheaded(plan);
}

}  // namespace tare::compact
