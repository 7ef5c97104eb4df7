#include "proxy/compact/writer_merge.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "proxy/compact/chars.h"

namespace tare::compact {
namespace {

constexpr int max_merges = 16;
constexpr std::size_t max_pairs = 12;
constexpr std::size_t min_instances = 4;
constexpr std::size_t max_lines = 8;
constexpr std::uint32_t max_slots = 16;
constexpr Cost instance_saved = 4 * token;   // the mark or the line end of the second
constexpr Cost definition_cost = 4 * token;  // of a template that is needed as well
constexpr Cost min_gain = 8 * token;
constexpr std::size_t min_inner_bytes = 4;  // of a value that another one holds
constexpr std::uint32_t no_slot = UINT32_MAX;

using Places = std::vector<std::uint32_t>;  // items whose next neighbour completes the pair

// How a value of the second template follows from one of the first: it is that value, between texts
// that are the same in all rows (often empty).
struct Derived {
  std::uint32_t slot = no_slot;  // of the first
  std::string_view before;
  std::string_view after;

  bool is_equality() const { return before.empty() && after.empty(); }
  bool explains(std::string_view value, std::string_view inner) const {
    return value.size() == before.size() + inner.size() + after.size() &&
           value.starts_with(before) && value.ends_with(after) &&
           value.substr(before.size(), inner.size()) == inner;
  }
};

struct Pair {
  std::uint32_t first = 0;  // templates
  std::uint32_t second = 0;
  Places places;
  std::vector<Derived> derived;  // for each slot of the second, or none
  Cost gain = 0;
};

bool has_law(const Template& shape) {
  return std::ranges::any_of(shape.lines, [](const TemplateLine& line) {
    return std::ranges::any_of(line.holes,
                               [](const Hole& hole) { return hole.kind == Hole::Kind::law; });
  });
}

// The slot stands somewhere with a width.
bool is_aligned(const Template& shape, std::uint32_t slot) {
  return std::ranges::any_of(shape.lines, [slot](const TemplateLine& line) {
    return std::ranges::any_of(line.holes, [slot](const Hole& hole) {
      return hole.kind == Hole::Kind::open && hole.slot == slot && hole.width > 0;
    });
  });
}

bool has_lone_quote(const Template& shape) {
  for (std::size_t slot = 0; slot < shape.slots; ++slot) {
    for (std::size_t row = 0; row < shape.rows.size(); ++row) {
      if (shape.value(slot, row) == "\"") return true;
    }
  }
  return false;
}

Cost cost_of(const Template& shape) {
  std::string text;
  for (const TemplateLine& line : shape.lines) append_line(text, line, {"{", "}"});
  return estimate(text) + definition_cost;
}

class Merger {
 public:
  Merger(Plan& plan, const std::stop_token& stop) : plan_(plan), stop_(stop) {}

  bool merge() {
    bool any = false;
    for (int i = 0; i < max_merges && !stop_.stop_requested(); ++i) {
      count_uses();
      std::optional<Pair> best;
      for (Pair& pair : frequent_pairs()) {
        if (stop_.stop_requested() || !weigh(pair) || (best && pair.gain <= best->gain)) continue;
        best = std::move(pair);
      }
      if (!best) break;
      if (!join(*best)) {
        barred_.emplace_back(best->first, best->second);
        continue;
      }
      any = true;
    }
    return any;
  }

 private:
  const Template& shape_at(std::uint32_t place) const {
    return plan_.templates[plan_.items[place].shape];
  }
  Part part_at(std::uint32_t place, std::uint32_t slot) const {
    const Template& shape = shape_at(place);
    return shape.values[slot * shape.rows.size() + plan_.items[place].index];
  }
  std::string_view value_at(std::uint32_t place, std::uint32_t slot) const {
    return shape_at(place).value(slot, plan_.items[place].index);
  }

  void count_uses() {
    uses_.assign(plan_.templates.size(), 0);
    for (const Item& item : plan_.items) {
      if (item.kind == Item::Kind::instance) ++uses_[item.shape];
    }
  }

  // Pairs with the most places; of equals, those that come first in the text.
  std::vector<Pair> frequent_pairs() const {
    struct Neighbours {
      std::uint64_t key;
      std::uint32_t place;
    };
    std::vector<Neighbours> all;
    for (std::uint32_t i = 0; i + 1 < plan_.items.size(); ++i) {
      const Item& a = plan_.items[i];
      const Item& b = plan_.items[i + 1];
      if (a.kind != Item::Kind::instance || b.kind != Item::Kind::instance || a.shape == b.shape)
        continue;
      all.push_back({std::uint64_t{a.shape} << 32 | b.shape, i});
    }
    std::sort(all.begin(), all.end(), [](const Neighbours& a, const Neighbours& b) {
      return std::pair(a.key, a.place) < std::pair(b.key, b.place);
    });
    std::vector<Pair> pairs;
    for (std::size_t i = 0; i < all.size();) {
      Pair pair{static_cast<std::uint32_t>(all[i].key >> 32),
                static_cast<std::uint32_t>(all[i].key),
                {},
                {},
                0};
      const std::uint64_t key = all[i].key;
      for (; i < all.size() && all[i].key == key; ++i) pair.places.push_back(all[i].place);
      if (pair.places.size() >= min_instances &&
          std::ranges::find(barred_, std::pair(pair.first, pair.second)) == barred_.end())
        pairs.push_back(std::move(pair));
    }
    std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
      return a.places.size() != b.places.size() ? a.places.size() > b.places.size()
                                                : a.places[0] < b.places[0];
    });
    if (pairs.size() > max_pairs) pairs.resize(max_pairs);
    return pairs;
  }

  // Finds equal slots, keeps the places where they are equal, and what that gains; false when it is
  // not worth it.
  bool weigh(Pair& pair) const {
    const Template& first = plan_.templates[pair.first];
    const Template& second = plan_.templates[pair.second];
    if (first.span() + second.span() > max_lines || first.slots + second.slots > max_slots)
      return false;
    // A row does not show its line number.
    if (first.slots + second.slots > 0 && (has_law(first) || has_law(second))) return false;
    for (std::uint32_t slot = 0; slot < second.slots; ++slot)
      pair.derived.push_back(
          find_derived(pair.places, first.slots, slot, is_aligned(second, slot)));
    std::erase_if(pair.places, [&](std::uint32_t place) { return !all_derived(pair, place); });
    if (pair.places.size() < min_instances) return false;
    for (const std::uint32_t place : pair.places) {
      pair.gain += instance_saved;
      for (std::uint32_t slot = 0; slot < second.slots; ++slot) {
        if (pair.derived[slot].slot != no_slot) pair.gain += estimate(value_at(place + 1, slot));
      }
    }
    if (pair.places.size() < uses_[pair.first]) pair.gain -= cost_of(first);
    if (pair.places.size() < uses_[pair.second]) pair.gain -= cost_of(second);
    return pair.gain > min_gain;
  }

  // How `slot` of the second template most often follows from a slot of the first, when it does so
  // in three of five places.
  // An aligned one must be equal: its width is that of the whole value.
  Derived find_derived(const Places& places, std::uint32_t first_slots, std::uint32_t slot,
                       bool aligned) const {
    Derived best;
    std::size_t most = 0;
    for (std::uint32_t other = 0; other < first_slots; ++other) {
      for (const Derived& derived : ways(places, other, slot)) {
        if (aligned && !derived.is_equality()) continue;
        const auto count =
            static_cast<std::size_t>(std::ranges::count_if(places, [&](std::uint32_t place) {
              return derived.explains(value_at(place + 1, slot), value_at(place, other));
            }));
        if (count <= most) continue;
        most = count;
        best = derived;
      }
    }
    return 5 * most >= 3 * places.size() ? best : Derived{};
  }

  // That both are equal, and what the first and the middle place suggest.
  std::array<Derived, 3> ways(const Places& places, std::uint32_t other, std::uint32_t slot) const {
    const auto suggested = [&](std::uint32_t place) {
      const std::string_view value = value_at(place + 1, slot);
      const std::string_view inner = value_at(place, other);
      const std::size_t at = inner.size() < min_inner_bytes ? value.npos : value.find(inner);
      if (at == value.npos) return Derived{other, {}, {}};
      return Derived{other, value.substr(0, at), value.substr(at + inner.size())};
    };
    return {Derived{other, {}, {}}, suggested(places[0]), suggested(places[places.size() / 2])};
  }

  bool all_derived(const Pair& pair, std::uint32_t place) const {
    for (std::uint32_t slot = 0; slot < pair.derived.size(); ++slot) {
      const Derived& derived = pair.derived[slot];
      if (derived.slot != no_slot &&
          !derived.explains(value_at(place + 1, slot), value_at(place, derived.slot)))
        return false;
    }
    return true;
  }

  // False when no separator fits the joined rows, or a lone quote would be read as "the same as
  // above".
  bool join(const Pair& pair) {
    Template joined = joined_template(pair);
    joined.separator = choose_separator(joined);
    if (joined.separator.data() == nullptr) return false;
    if (joined.slots > 1 && has_lone_quote(joined)) return false;
    const auto shape = static_cast<std::uint32_t>(plan_.templates.size());
    plan_.templates.reserve(shape + 1);  // a few are added, so no room for more
    plan_.templates.push_back(std::move(joined));
    std::size_t kept = 0;
    std::uint32_t row = 0;
    for (std::uint32_t i = 0; i < plan_.items.size(); ++i) {
      Item& item = plan_.items[kept++] = plan_.items[i];
      if (row == pair.places.size() || pair.places[row] != i) continue;
      item.shape = shape;
      item.index = row++;
      ++i;
    }
    plan_.items.resize(kept);
    return true;
  }

  Template joined_template(const Pair& pair) const {
    const Template& first = plan_.templates[pair.first];
    const Template& second = plan_.templates[pair.second];
    Template joined;
    joined.records = first.records;
    for (const std::uint32_t place : pair.places) joined.rows.push_back(plan_.items[place].record);
    Slots first_slots = add_slots(joined, pair.places, first.slots, nullptr, {});
    Places behind;
    for (const std::uint32_t place : pair.places) behind.push_back(place + 1);
    const Slots second_slots = add_slots(joined, behind, second.slots, &pair, first_slots);
    append_lines(joined, first, first_slots);
    append_lines(joined, second, second_slots);
    return joined;
  }

  // Where a slot went: another slot between two texts, or a text that is the same in all rows.
  struct Slot {
    std::uint32_t slot = 0;
    std::optional<std::string_view> fixed;
    std::string_view before = {};
    std::string_view after = {};
  };
  using Slots = std::vector<Slot>;

  // Takes the values of the slots over into `joined`; with a pair, those that follow from a slot
  // of its first become that.
  Slots add_slots(Template& joined, const Places& places, std::uint32_t slots, const Pair* pair,
                  const Slots& first) const {
    Slots went;
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
      const std::string_view value = value_at(places[0], slot);
      const Derived derived = pair != nullptr ? pair->derived[slot] : Derived{};
      if (derived.slot != no_slot && !first[derived.slot].fixed) {
        went.push_back({first[derived.slot].slot, std::nullopt, derived.before, derived.after});
        continue;
      }
      if (std::ranges::all_of(
              places, [&](std::uint32_t place) { return value_at(place, slot) == value; })) {
        went.push_back({0, value});
        continue;
      }
      went.push_back({joined.slots++, std::nullopt});
      const std::size_t line = shape_at(places[0]).line_of(slot);
      joined.slot_lines.push_back(static_cast<std::uint8_t>(
          line + (pair != nullptr ? plan_.templates[pair->first].span() : 0)));
      joined.values.reserve(joined.values.size() + places.size());
      for (const std::uint32_t place : places) joined.values.push_back(part_at(place, slot));
    }
    return went;
  }

  static void append_lines(Template& joined, const Template& from, const Slots& slots) {
    for (const TemplateLine& line : from.lines) {
      TemplateLine moved{line.leader, {}};
      for (const Hole& hole : line.holes) {
        if (hole.kind == Hole::Kind::open) {
          append_hole(moved.holes, hole, slots[hole.slot]);
        } else {
          moved.holes.push_back(hole);
        }
      }
      joined.lines.push_back(std::move(moved));
    }
  }

  static void append_hole(std::vector<Hole>& holes, Hole hole, const Slot& slot) {
    const auto fixed = [](std::uint32_t begin, std::uint32_t end, std::string text) {
      return Hole{begin, end, Hole::Kind::fixed, 0, 0, std::move(text)};
    };
    if (slot.fixed) {
      const std::size_t length = count_characters(*slot.fixed);
      const std::size_t blanks = hole.width > length ? hole.width - length : 0;
      holes.push_back(fixed(hole.begin, hole.end, std::string(blanks, ' ').append(*slot.fixed)));
      return;
    }
    hole.slot = slot.slot;
    if (!slot.before.empty())
      holes.push_back(fixed(hole.begin, hole.begin, std::string(slot.before)));
    holes.push_back(hole);
    if (!slot.after.empty()) holes.push_back(fixed(hole.end, hole.end, std::string(slot.after)));
  }

  Plan& plan_;
  const std::stop_token& stop_;
  std::vector<std::size_t> uses_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> barred_;
};

}  // namespace

bool merge_neighbours(Plan& plan, const std::stop_token& stop) {
  return Merger(plan, stop).merge();
}

}  // namespace tare::compact
