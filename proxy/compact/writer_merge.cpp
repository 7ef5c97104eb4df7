#include "proxy/compact/writer_merge.h"

#include <algorithm>
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
constexpr Cost instance_saved = 2 * token;   // the mark or the line end of the second
constexpr Cost definition_cost = 4 * token;  // of a template that is needed as well
constexpr Cost min_gain = 8 * token;
constexpr std::uint32_t not_equal = UINT32_MAX;

using Places = std::vector<std::uint32_t>;  // items whose next neighbour completes the pair

struct Pair {
  std::uint32_t first = 0;  // templates
  std::uint32_t second = 0;
  Places places;
  std::vector<std::uint32_t>
      equal;  // for each slot of the second: the slot of the first with the same value, or none
  Cost gain = 0;
};

bool has_law(const Template& shape) {
  return std::ranges::any_of(shape.lines, [](const TemplateLine& line) {
    return std::ranges::any_of(line.holes,
                               [](const Hole& hole) { return hole.kind == Hole::Kind::law; });
  });
}

Cost cost_of(const Template& shape) {
  std::string text;
  for (const TemplateLine& line : shape.lines) append_line(text, line, {"{", "}"});
  return estimate(text) + definition_cost;
}

class Merger {
 public:
  explicit Merger(Plan& plan) : plan_(plan) {}

  bool merge() {
    bool any = false;
    for (int i = 0; i < max_merges; ++i) {
      count_uses();
      std::optional<Pair> best;
      for (Pair& pair : frequent_pairs()) {
        if (!weigh(pair) || (best && pair.gain <= best->gain)) continue;
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
      pair.equal.push_back(find_equal(pair.places, first.slots, slot));
    std::erase_if(pair.places, [&](std::uint32_t place) { return !all_equal(pair, place); });
    if (pair.places.size() < min_instances) return false;
    for (const std::uint32_t place : pair.places) {
      pair.gain += instance_saved;
      for (std::uint32_t slot = 0; slot < second.slots; ++slot) {
        if (pair.equal[slot] != not_equal) pair.gain += estimate(value_at(place + 1, slot));
      }
    }
    if (pair.places.size() < uses_[pair.first]) pair.gain -= cost_of(first);
    if (pair.places.size() < uses_[pair.second]) pair.gain -= cost_of(second);
    return pair.gain > min_gain;
  }

  // The slot of the first template that most often has the value of `slot`, when it has it in three
  // of five places.
  std::uint32_t find_equal(const Places& places, std::uint32_t first_slots,
                           std::uint32_t slot) const {
    std::uint32_t best = not_equal;
    std::size_t most = 0;
    for (std::uint32_t other = 0; other < first_slots; ++other) {
      const auto equal =
          static_cast<std::size_t>(std::ranges::count_if(places, [&](std::uint32_t place) {
            return value_at(place, other) == value_at(place + 1, slot);
          }));
      if (equal > most) {
        most = equal;
        best = other;
      }
    }
    return 5 * most >= 3 * places.size() ? best : not_equal;
  }

  bool all_equal(const Pair& pair, std::uint32_t place) const {
    for (std::uint32_t slot = 0; slot < pair.equal.size(); ++slot) {
      if (pair.equal[slot] != not_equal &&
          value_at(place, pair.equal[slot]) != value_at(place + 1, slot))
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
    if (joined.slots > 1 && std::ranges::find(joined.values, "\"") != joined.values.end())
      return false;
    const auto shape = static_cast<std::uint32_t>(plan_.templates.size());
    plan_.templates.push_back(std::move(joined));
    std::vector<Item> items;
    items.reserve(plan_.items.size());
    std::uint32_t row = 0;
    for (std::uint32_t i = 0; i < plan_.items.size(); ++i) {
      items.push_back(plan_.items[i]);
      if (row == pair.places.size() || pair.places[row] != i) continue;
      items.back().shape = shape;
      items.back().index = row++;
      ++i;
    }
    plan_.items = std::move(items);
    return true;
  }

  Template joined_template(const Pair& pair) const {
    const Template& first = plan_.templates[pair.first];
    const Template& second = plan_.templates[pair.second];
    Template joined;
    for (const std::uint32_t place : pair.places) joined.rows.push_back(plan_.items[place].record);
    Slots first_slots = add_slots(joined, pair.places, first.slots, nullptr, {});
    Places behind;
    for (const std::uint32_t place : pair.places) behind.push_back(place + 1);
    const Slots second_slots = add_slots(joined, behind, second.slots, &pair, first_slots);
    append_lines(joined, first, first_slots);
    append_lines(joined, second, second_slots);
    return joined;
  }

  // Where a slot went: another slot, or a text that is the same in all rows.
  struct Slot {
    std::uint32_t slot = 0;
    std::optional<std::string_view> fixed;
  };
  using Slots = std::vector<Slot>;

  // Takes the values of the slots over into `joined`; with a pair, those that equal a slot of its
  // first become that.
  Slots add_slots(Template& joined, const Places& places, std::uint32_t slots, const Pair* pair,
                  const Slots& first) const {
    Slots went;
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
      if (pair != nullptr && pair->equal[slot] != not_equal) {
        went.push_back(first[pair->equal[slot]]);
        continue;
      }
      const std::string_view value = value_at(places[0], slot);
      if (std::ranges::all_of(
              places, [&](std::uint32_t place) { return value_at(place, slot) == value; })) {
        went.push_back({0, value});
        continue;
      }
      went.push_back({joined.slots++, std::nullopt});
      for (const std::uint32_t place : places) joined.values.push_back(value_at(place, slot));
    }
    return went;
  }

  static void append_lines(Template& joined, const Template& from, const Slots& slots) {
    for (TemplateLine line : from.lines) {
      for (Hole& hole : line.holes) {
        if (hole.kind != Hole::Kind::open) continue;
        const Slot& slot = slots[hole.slot];
        hole.slot = slot.slot;
        if (!slot.fixed) continue;
        hole.kind = Hole::Kind::fixed;
        const std::size_t length = count_characters(*slot.fixed);
        hole.text =
            std::string(hole.width > length ? hole.width - length : 0, ' ').append(*slot.fixed);
        hole.width = 0;
      }
      joined.lines.push_back(std::move(line));
    }
  }

  Plan& plan_;
  std::vector<std::size_t> uses_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> barred_;
};

}  // namespace

bool merge_neighbours(Plan& plan) {
  return Merger(plan).merge();
}

}  // namespace tare::compact
