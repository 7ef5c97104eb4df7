#include "proxy/compact/writer_refine.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "proxy/compact/chars.h"

namespace tare::compact {
namespace {

constexpr std::size_t max_depth = 3;
constexpr std::size_t min_group = 3;
constexpr std::size_t min_rows_to_split = 6;
constexpr std::size_t max_features = 6;
constexpr std::size_t max_columns = 24;
constexpr std::size_t sample_rows = 400;
constexpr std::size_t max_values = 48;
constexpr std::size_t max_groups = 200;
constexpr Cost split_cost = 10 * token;  // of each further template
constexpr Cost min_split_gain = 4 * token;
constexpr Cost settled_percent = 90;  // of what the rows cost: splits could hardly gain more

// A column, by its values or by their shapes.
struct Feature {
  std::uint32_t groups = 0;  // that are large enough, in a sample
  std::uint32_t column = 0;
  bool by_shape = false;
};

// Counts equal keys, of fewer than `slots`.
class Tally {
 public:
  void clear() {
    for (const std::uint32_t slot : used_) index_[slot] = none;
    used_.clear();
    keys_.clear();
    sizes_.clear();
  }
  void add(std::uint32_t key) {
    std::size_t slot = key % slots;
    while (index_[slot] != none && keys_[index_[slot]] != key) slot = (slot + 1) % slots;
    if (index_[slot] == none) {
      index_[slot] = static_cast<std::uint16_t>(keys_.size());
      used_.push_back(static_cast<std::uint32_t>(slot));
      keys_.push_back(key);
      sizes_.push_back(0);
    }
    ++sizes_[index_[slot]];
  }
  // How often each key came.
  std::span<const std::uint32_t> sizes() const { return sizes_; }

 private:
  static constexpr std::size_t slots = 4 * sample_rows;
  static constexpr std::uint16_t none = UINT16_MAX;

  std::vector<std::uint16_t> index_ = std::vector<std::uint16_t>(slots, none);
  std::vector<std::uint32_t> used_;
  std::vector<std::uint32_t> keys_;
  std::vector<std::uint32_t> sizes_;
};

Cost total_gain(const std::vector<Group>& groups) {
  return std::accumulate(groups.begin(), groups.end(), Cost{0},
                         [](Cost sum, const Group& group) { return sum + group.gain; });
}

class Refiner {
 public:
  Refiner(Fitter& fitter, const Columns& columns) : fitter_(fitter), columns_(columns) {}

  // The records of the template that fits these, when there is one.
  std::optional<Group> fit(std::span<const std::uint32_t> rows) {
    const Template* shape = fitter_.fit(columns_, rows);
    if (shape == nullptr) return std::nullopt;
    return Group{shape->rows, shape->gain};
  }

  // `whole` is fit(rows), which are what `depth` splits left.
  std::vector<Group> refine(std::span<const std::uint32_t> rows, std::optional<Group> whole,
                            std::size_t depth) {
    std::vector<Group> best;
    Cost best_gain = 0;
    std::vector<std::uint32_t> kept(rows.begin(), rows.end());
    if (whole && whole->gain > 0) {
      best_gain = whole->gain;
      if (whole->rows.size() < rows.size() && 20 * whole->gain > 3 * cost_of(rows))
        kept = whole->rows;
      best.push_back(std::move(*whole));
    }
    const bool settled = 100 * best_gain >= settled_percent * cost_of(rows);
    if (depth == max_depth || settled || kept.size() < min_rows_to_split) return best;
    bool split = false;
    for (const Feature& feature : find_features(kept)) {
      auto parts = split_by(feature, kept);
      const auto further = static_cast<Cost>(parts.size()) - 1;
      const bool same = parts.size() == 1 && parts[0].rows.size() == kept.size();
      if (parts.empty() || same) continue;
      const Cost gain = total_gain(parts);
      if (gain - split_cost * further <= best_gain + min_split_gain) continue;
      best_gain = gain;
      best = std::move(parts);
      split = true;
    }
    if (!split) return best;
    std::vector<Group> all;
    for (Group& part : best) {
      const std::vector<std::uint32_t> part_rows = part.rows;
      for (Group& finer : refine(part_rows, std::move(part), depth + 1)) {
        all.push_back(std::move(finer));
      }
    }
    return all;
  }

 private:
  Cost cost_of(std::span<const std::uint32_t> rows) const {
    return std::accumulate(rows.begin(), rows.end(), Cost{0},
                           [&](Cost sum, std::uint32_t row) { return sum + fitter_.costs()[row]; });
  }

  // Those with fewest groups first.
  std::vector<Feature> find_features(std::span<const std::uint32_t> rows) {
    std::vector<Feature> features;
    const std::size_t stride = std::max<std::size_t>(1, rows.size() / sample_rows);
    for (std::uint32_t c = 0; c < std::min<std::size_t>(columns_.count, max_columns); ++c) {
      std::uint32_t distinct[2] = {0, 0};
      for (const bool by_shape : {false, true}) {
        tally_.clear();
        std::size_t sampled = 0;
        for (std::size_t i = 0; i < rows.size(); i += stride, ++sampled)
          tally_.add(columns_.key(rows[i], c, by_shape));
        std::size_t large = 0;  // rows in large groups
        std::size_t largest = 0;
        Feature feature{0, c, by_shape};
        for (const std::uint32_t size : tally_.sizes()) {
          ++distinct[by_shape];
          largest = std::max<std::size_t>(largest, size);
          if (size >= min_group) {
            ++feature.groups;
            large += size;
          }
        }
        if (by_shape && distinct[0] == distinct[1]) break;
        if (distinct[by_shape] < 2 || 2 * large < sampled) continue;
        if (distinct[by_shape] > max_values && 10 * largest < 3 * sampled) continue;
        features.push_back(feature);
      }
    }
    std::sort(features.begin(), features.end(), [](const Feature& a, const Feature& b) {
      return std::tuple(a.groups, a.column, a.by_shape) <
             std::tuple(b.groups, b.column, b.by_shape);
    });
    if (features.size() > max_features) features.resize(max_features);
    return features;
  }

  // A template for each large group, and one for what is left; only those that gain.
  std::vector<Group> split_by(const Feature& feature, std::span<const std::uint32_t> rows) {
    keyed_.clear();
    for (const std::uint32_t row : rows) {
      keyed_.emplace_back(columns_.key(row, feature.column, feature.by_shape), row);
    }
    std::sort(keyed_.begin(), keyed_.end());
    std::size_t groups = 0;
    for (std::size_t i = 0; i < keyed_.size(); ++i) {
      if (i == 0 || keyed_[i].first != keyed_[i - 1].first) ++groups;
    }
    std::vector<Group> parts;
    if (groups > max_groups && 4 * groups > rows.size()) return parts;
    std::vector<std::uint32_t> rest;
    std::vector<std::uint32_t> group;
    for (std::size_t i = 0; i < keyed_.size();) {
      group.clear();
      const std::uint32_t key = keyed_[i].first;
      for (; i < keyed_.size() && keyed_[i].first == key; ++i) group.push_back(keyed_[i].second);
      fit_group(group, rest, parts);
    }
    std::sort(rest.begin(), rest.end());
    const std::vector<std::uint32_t> left = std::exchange(rest, {});
    fit_group(left, rest, parts);
    return parts;
  }

  // What gets no template goes to `rest`.
  void fit_group(std::span<const std::uint32_t> group, std::vector<std::uint32_t>& rest,
                 std::vector<Group>& parts) {
    std::optional<Group> fitted;
    if (group.size() >= min_group) fitted = fit(group);
    if (!fitted || fitted->gain <= 0) {
      rest.insert(rest.end(), group.begin(), group.end());
      return;
    }
    std::set_difference(group.begin(), group.end(), fitted->rows.begin(), fitted->rows.end(),
                        std::back_inserter(rest));
    parts.push_back(std::move(*fitted));
  }

  Fitter& fitter_;
  const Columns& columns_;
  Tally tally_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> keyed_;
};

}  // namespace

std::vector<Group> refine(Fitter& fitter, const Columns& columns,
                          std::span<const std::uint32_t> rows) {
  Refiner refiner(fitter, columns);
  return refiner.refine(rows, refiner.fit(rows), 0);
}

}  // namespace tare::compact
