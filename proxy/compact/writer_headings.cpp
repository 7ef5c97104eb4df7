#include "proxy/compact/writer_headings.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "proxy/compact/cost.h"

namespace tare::compact {
namespace {

constexpr Cost heading_cost = 4 * token;
constexpr Cost plain_mark_cost = 2 * token;
constexpr Cost label_cost = 2200;          // an instance under another heading
constexpr Cost verbatim_mark_cost = 1300;  // a verbatim record under a heading

// The cheapest way to stand under a heading after some items: a path back through earlier choices.
struct State {
  std::uint32_t heading = no_template;
  Cost cost = 0;
  std::uint32_t step = 0;  // its last step
};
struct Step {
  std::uint32_t heading = no_template;
  std::uint32_t previous = 0;
};

Cost item_cost(const Item& item, std::uint32_t heading) {
  if (item.kind == Item::Kind::verbatim) return heading == no_template ? 0 : verbatim_mark_cost;
  return item.shape == heading ? 0 : label_cost;
}

}  // namespace

// Dynamic programming over the headings that can still win; each may change at each item.
void choose_headings(Plan& plan) {
  const std::vector<Template>& templates = plan.templates;
  std::vector<Item>& items = plan.items;
  const auto depends = [&](const Item& item) {
    return item.kind == Item::Kind::verbatim ||
           (item.kind == Item::Kind::instance && templates[item.shape].slots > 0);
  };
  std::vector<Step> steps{{no_template, 0}};
  std::vector<State> states{{no_template, 0, 0}};
  std::vector<State> next;
  const bool any_rows = std::any_of(templates.begin(), templates.end(),
                                    [](const Template& t) { return t.slots > 0; });
  if (!any_rows) return;
  for (const Item& item : items) {
    if (!depends(item)) continue;
    const State best =
        *std::min_element(states.begin(), states.end(),
                          [](const State& a, const State& b) { return a.cost < b.cost; });
    next.clear();
    const auto enter = [&](std::uint32_t heading, const State* stay) {
      const Cost change = best.cost + (heading == no_template ? plain_mark_cost : heading_cost);
      const bool stays = stay != nullptr && stay->cost <= change;
      next.push_back({heading, (stays ? stay->cost : change) + item_cost(item, heading),
                      stays ? stay->step : best.step});
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
      if (state.cost >= least + heading_cost) continue;  // a change to it later is as cheap
      steps.push_back({state.heading, state.step});
      state.step = static_cast<std::uint32_t>(steps.size() - 1);
      states.push_back(state);
    }
  }
  std::uint32_t step =
      std::min_element(states.begin(), states.end(), [](const State& a, const State& b) {
        return a.cost < b.cost;
      })->step;
  std::uint32_t heading = steps[step].heading;
  for (auto item = items.rbegin(); item != items.rend(); ++item) {
    if (depends(*item)) {
      heading = steps[step].heading;
      step = steps[step].previous;
    }
    item->heading = heading;
  }
}

}  // namespace tare::compact
