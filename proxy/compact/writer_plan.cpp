#include "proxy/compact/writer_plan.h"

#include <algorithm>
#include <utility>

namespace tare::compact {
namespace {

constexpr int max_rounds = 3;
constexpr Cost min_gain = 4 * token;
constexpr Cost single_cost = 3 * token;
constexpr Cost range_cost = 7 * token;
constexpr std::size_t min_rows_with_slots = 4;  // fewer must save half of what they cost

// Makes the items of all records but those told by repeats, and the marks of blocks.
class ItemMaker {
 public:
  ItemMaker(std::size_t record_count, Plan& plan)
      : plan_(plan), owner_(record_count, {no_template, 0}), block_(record_count + 1) {
    for (std::uint32_t shape = 0; shape < plan.templates.size(); ++shape) {
      const auto& rows = plan.templates[shape].rows;
      for (std::uint32_t row = 0; row < rows.size(); ++row) owner_[rows[row]] = {shape, row};
    }
    for (const Copy& copy : plan.repeats.copies) {
      block_[copy.source].length = copy.length;
      block_[copy.source + copy.length].ends_source = copy.source;
    }
  }

  void make(const std::stop_token& stop) {
    const Repeats& repeats = plan_.repeats;
    plan_.items.reserve(owner_.size());
    std::uint32_t run = 0;
    std::uint32_t copy = 0;
    std::uint32_t reference = 0;
    for (std::uint32_t record = 0; !stop.stop_requested();) {
      if (block_[record].ends_source != none)
        add(Item::Kind::block_end, record, no_template, block_[record].ends_source);
      if (record == owner_.size()) return;
      if (run < repeats.runs.size() && repeats.runs[run].record == record) {
        add(Item::Kind::run, record, no_template, run);
        record += repeats.runs[run++].length();
      } else if (copy < repeats.copies.size() && repeats.copies[copy].record == record) {
        add(Item::Kind::copy, record, no_template, repeats.copies[copy].source);
        record += repeats.copies[copy++].length;
      } else if (reference < repeats.references.size() &&
                 repeats.references[reference].record == record) {
        add(Item::Kind::reference, record, no_template, reference);
        record += repeats.references[reference++].length;
      } else {
        if (block_[record].length > 0) add(Item::Kind::block_begin, record, no_template, record);
        record += add_record(record);
      }
    }
  }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;
  struct Block {
    std::uint32_t length = 0;          // of the block that begins here
    std::uint32_t ends_source = none;  // the beginning of the block that ended here
  };

  // Returns how many records the item stands for.
  std::uint32_t add_record(std::uint32_t record) {
    const auto [shape, row] = owner_[record];
    const auto span =
        shape == no_template ? 1 : static_cast<std::uint32_t>(plan_.templates[shape].span());
    if (shape == no_template || crosses_block(record, span)) {
      add(Item::Kind::verbatim, record, no_template, 0);
      return 1;
    }
    add(Item::Kind::instance, record, shape, row);
    return span;
  }

  bool crosses_block(std::uint32_t record, std::uint32_t span) const {
    for (std::uint32_t inner = record + 1; inner < record + span; ++inner) {
      if (block_[inner].length > 0 || block_[inner].ends_source != none) return true;
    }
    return false;
  }

  void add(Item::Kind kind, std::uint32_t record, std::uint32_t shape, std::uint32_t index) {
    plan_.items.push_back({kind, record, shape, index, no_template});
  }

  Plan& plan_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> owner_;  // template and row of each record
  std::vector<Block> block_;
};

// What its lines may cost at most where they stand.
Cost most_for_instance(const Template& shape) {
  return most_for_line * static_cast<Cost>(shape.span());
}

struct Use {
  std::size_t instances = 0;
  Cost before = 0;  // the records verbatim
  Cost after = 0;   // without the definition
};

// What each template's instances cost before and after.
std::vector<Use> uses_of(const Plan& plan, std::span<const LineCost> costs,
                         const std::stop_token& stop) {
  std::vector<Use> uses(plan.templates.size());
  std::string text;
  const Item* last = nullptr;
  std::size_t run = 0;  // instances without slots in a row, to `last`
  for (const Item& item : plan.items) {
    if (stop.stop_requested()) break;
    const bool instance = item.kind == Item::Kind::instance;
    const bool goes_on = instance && last != nullptr && last->shape == item.shape;
    run = goes_on ? run + 1 : 1;
    last = instance ? &item : nullptr;
    if (!instance) continue;
    Use& use = uses[item.shape];
    const Template& shape = plan.templates[item.shape];
    ++use.instances;
    for (std::size_t i = 0; i < shape.span(); ++i) use.before += costs[item.record + i];
    if (shape.slots > 0) {
      text.clear();
      append_row(text, shape, item.index);
      use.after += std::min(estimate(text), most_for_instance(shape));
    } else if (run <= 2) {
      use.after += run == 1 ? single_cost : range_cost - single_cost;
    }
  }
  return uses;
}

bool earns_definition(const Template& shape, const Use& use) {
  const Cost gain = use.before - use.after - definition_cost(shape);
  if (gain < min_gain) return false;
  return shape.slots == 0 || use.instances >= min_rows_with_slots || 2 * gain >= use.before;
}

}  // namespace

Plan make_plan(std::size_t record_count, std::vector<Template> templates, const Repeats& repeats,
               const std::stop_token& stop) {
  Plan plan{std::move(templates), repeats, {}};
  ItemMaker(record_count, plan).make(stop);
  return plan;
}

std::vector<bool> templates_used(const Plan& plan) {
  std::vector<bool> used(plan.templates.size(), false);
  for (const Item& item : plan.items) {
    if (item.kind == Item::Kind::instance) used[item.shape] = true;
  }
  return used;
}

Cost definition_cost(const Template& shape) {
  std::string text;
  for (const TemplateLine& line : shape.lines) append_line(text, line, {"{", "}"});
  return std::min(estimate(text), most_for_instance(shape));
}

std::vector<LineCost> told_costs(const Plan& plan, std::span<const LineCost> costs) {
  std::vector<LineCost> told(costs.size(), 0);
  std::string text;
  const Item* last = nullptr;
  for (const Item& item : plan.items) {
    const bool goes_on = last != nullptr && last->kind == Item::Kind::instance &&
                         item.kind == Item::Kind::instance && last->shape == item.shape;
    last = &item;
    if (item.kind == Item::Kind::verbatim) {
      told[item.record] = costs[item.record];
    } else if (item.kind == Item::Kind::instance && plan.templates[item.shape].slots > 0) {
      text.clear();
      append_row(text, plan.templates[item.shape], item.index);
      told[item.record] = line_cost(estimate(text));
    } else if (item.record < told.size() && !goes_on) {
      told[item.record] = line_cost(told[item.record] + single_cost);
    }
  }
  return told;
}

void drop_unearned(Plan& plan, std::span<const LineCost> costs, const std::stop_token& stop) {
  for (int round = 0; round < max_rounds; ++round) {
    const std::vector<Use> uses = uses_of(plan, costs, stop);
    if (stop.stop_requested()) return;
    std::vector<bool> drop(plan.templates.size());
    for (std::size_t i = 0; i < drop.size(); ++i)
      drop[i] = uses[i].instances > 0 && !earns_definition(plan.templates[i], uses[i]);
    if (std::find(drop.begin(), drop.end(), true) == drop.end()) return;
    std::vector<Item> items;
    items.reserve(plan.items.size());
    for (const Item& item : plan.items) {
      if (item.kind != Item::Kind::instance || !drop[item.shape]) {
        items.push_back(item);
        continue;
      }
      for (std::uint32_t i = 0; i < plan.templates[item.shape].span(); ++i) {
        items.push_back({Item::Kind::verbatim, item.record + i, no_template, 0, no_template});
      }
    }
    plan.items = std::move(items);
  }
}

}  // namespace tare::compact
