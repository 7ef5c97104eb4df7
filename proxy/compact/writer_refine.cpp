#include "proxy/compact/writer_refine.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "proxy/compact/chars.h"

namespace tare::compact {
namespace {

constexpr std::size_t max_depth = 3;
constexpr std::size_t min_group = 2;
constexpr std::size_t min_rows_to_split = 6;
constexpr std::size_t max_features = 6;
constexpr std::size_t max_columns = 24;
constexpr std::size_t sample_rows = 400;
constexpr std::size_t max_values = 48;
constexpr std::size_t max_groups = 200;
constexpr Cost split_cost = 10 * token;  // of each further template
constexpr Cost min_split_gain = 4 * token;
constexpr Cost settled_percent = 66;  // of what the rows cost: splits could hardly gain more

constexpr std::uint16_t no_number = UINT16_MAX;

Cost total_gain(const std::vector<Group>& groups) {
  return std::accumulate(groups.begin(), groups.end(), Cost{0},
                         [](Cost sum, const Group& group) { return sum + group.gain; });
}

std::uint32_t folded(std::uint64_t hash) {
  return static_cast<std::uint32_t>(hash ^ hash >> 32);
}

}  // namespace

std::vector<Group> Refiner::refine(const Columns& columns, std::span<const std::uint32_t> rows) {
  columns_ = columns;
  all_rows_ = rows;
  numbers_.clear();
  for (std::size_t i = 0; i < rows.size(); ++i) place_[rows[i]] = static_cast<std::uint16_t>(i);
  return refine(rows, fit(rows), 0);
}

// `whole` is fit(rows), which are what `depth` splits left.
std::vector<Group> Refiner::refine(std::span<const std::uint32_t> rows, std::optional<Group> whole,
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
  if (depth == 0 && settled && !best.empty())
    best[0].shape = std::make_shared<const Template>(fitter_.last());
  if (depth == max_depth || settled || kept.size() < min_rows_to_split) return best;
  bool split = false;
  std::vector<std::uint64_t> tried;
  for (const Feature& feature : find_features(kept)) {
    // Columns that follow from each other part the rows alike.
    const std::uint64_t grouping = group_by(feature, kept);
    if (std::ranges::find(tried, grouping) != tried.end()) continue;
    tried.push_back(grouping);
    auto parts = fit_groups(kept.size());
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
  kept = std::vector<std::uint32_t>();
  std::vector<Group> all;
  for (Group& part : best) {
    const std::vector<std::uint32_t> part_rows = part.rows;
    for (Group& finer : refine(part_rows, std::move(part), depth + 1)) {
      all.push_back(std::move(finer));
    }
  }
  return all;
}

// The records of the template that fits these, when there is one.
std::optional<Group> Refiner::fit(std::span<const std::uint32_t> rows) {
  const Template* shape = fitter_.fit(columns_, rows);
  if (shape == nullptr) return std::nullopt;
  return Group{shape->rows, shape->gain, nullptr};
}

Cost Refiner::cost_of(std::span<const std::uint32_t> rows) const {
  return std::accumulate(rows.begin(), rows.end(), Cost{0},
                         [&](Cost sum, std::uint32_t row) { return sum + fitter_.costs()[row]; });
}

// Those with fewest groups first.
std::vector<Refiner::Feature> Refiner::find_features(std::span<const std::uint32_t> rows) {
  number_values();
  std::vector<Feature> features;
  for (std::uint32_t c = 0; c < std::min<std::size_t>(columns_.count, max_columns); ++c) {
    std::uint32_t distinct[2] = {0, 0};
    for (const bool by_shape : {false, true}) {
      Feature feature{0, c, by_shape};
      const bool may = may_part(feature, rows, distinct[by_shape]);
      if (by_shape && distinct[0] == distinct[1]) break;
      if (may) features.push_back(feature);
    }
  }
  std::sort(features.begin(), features.end(), [](const Feature& a, const Feature& b) {
    return std::tuple(a.groups, a.column, a.by_shape) < std::tuple(b.groups, b.column, b.by_shape);
  });
  if (features.size() > max_features) features.resize(max_features);
  return features;
}

// Whether enough rows of a sample are in groups that are large enough; counts these, and how many
// `distinct` ones there are.
bool Refiner::may_part(Feature& feature, std::span<const std::uint32_t> rows,
                       std::uint32_t& distinct) {
  const std::size_t stride = std::max<std::size_t>(1, rows.size() / sample_rows);
  used_.clear();
  std::size_t sampled = 0;
  for (std::size_t i = 0; i < rows.size(); i += stride, ++sampled) {
    const std::uint16_t met = number(feature, rows[i]);
    if (counts_[met]++ == 0) used_.push_back(met);
  }
  std::size_t large = 0;  // rows in large groups
  std::size_t largest = 0;
  for (const std::uint16_t met : used_) {
    const std::size_t size = std::exchange(counts_[met], 0);
    largest = std::max(largest, size);
    if (size < min_group) continue;
    ++feature.groups;
    large += size;
  }
  distinct = static_cast<std::uint32_t>(used_.size());
  if (distinct < 2 || 2 * large < sampled) return false;
  return distinct <= max_values || 10 * largest >= 3 * sampled;
}

// Puts the rows into grouped_, group by group in the order of their first rows, and the groups'
// sizes into sizes_. Returns a hash of which rows are together.
std::uint64_t Refiner::group_by(const Feature& feature, std::span<const std::uint32_t> rows) {
  used_.clear();
  std::uint64_t grouping = 0;
  for (const std::uint32_t row : rows) {
    const std::uint16_t met = number(feature, row);
    if (counts_[met]++ == 0) {
      begins_[met] = static_cast<std::uint16_t>(used_.size());
      used_.push_back(met);
    }
    grouping = hash_step(grouping, begins_[met]);
  }
  sizes_.clear();
  std::uint32_t begin = 0;
  for (const std::uint16_t met : used_) {
    sizes_.push_back(std::exchange(counts_[met], std::uint16_t{0}));
    begins_[met] = static_cast<std::uint16_t>(begin);
    begin += sizes_.back();
  }
  grouped_.resize(rows.size());
  for (const std::uint32_t row : rows) grouped_[begins_[number(feature, row)]++] = row;
  return grouping;
}

// A template for each large group, and one for what is left; only those that gain.
std::vector<Group> Refiner::fit_groups(std::size_t row_count) {
  std::vector<Group> parts;
  if (sizes_.size() > max_groups && 4 * sizes_.size() > row_count) return parts;
  std::vector<std::uint32_t> rest;
  std::size_t begin = 0;
  for (const std::uint32_t size : sizes_) {
    fit_group(std::span(grouped_).subspan(begin, size), rest, parts);
    begin += size;
  }
  std::sort(rest.begin(), rest.end());
  const std::vector<std::uint32_t> left = std::exchange(rest, {});
  fit_group(left, rest, parts);
  return parts;
}

// What gets no template goes to `rest`.
void Refiner::fit_group(std::span<const std::uint32_t> group, std::vector<std::uint32_t>& rest,
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

void Refiner::number_values() {
  if (!numbers_.empty()) return;
  const std::size_t rows = all_rows_.size();
  const std::size_t columns = std::min<std::size_t>(columns_.count, max_columns);
  numbers_.reserve(columns * rows);
  shapes_.clear();
  first_shape_.clear();
  table_.resize(std::bit_ceil(2 * rows));
  keys_.resize(rows);
  if (counts_.size() < rows) counts_.resize(rows);
  if (begins_.size() < rows) begins_.resize(rows);
  for (std::uint32_t column = 0; column < columns; ++column) number_column(column);
}

void Refiner::number_column(std::uint32_t column) {
  std::uint16_t values = 0;
  used_.clear();  // the first row of each value
  std::ranges::fill(table_, no_number);
  for (std::size_t i = 0; i < all_rows_.size(); ++i) {
    numbers_.push_back(number_of(folded(hash_bytes(columns_.value(all_rows_[i], column))), values));
    if (used_.size() < values) used_.push_back(static_cast<std::uint16_t>(i));
  }
  first_shape_.push_back(static_cast<std::uint32_t>(shapes_.size()));
  std::uint16_t shapes = 0;
  std::ranges::fill(table_, no_number);
  for (const std::uint16_t first : used_)
    shapes_.push_back(
        number_of(folded(shape_key(columns_.value(all_rows_[first], column))), shapes));
}

// The number of the key: that of the same key before, or the next.
std::uint16_t Refiner::number_of(std::uint32_t key, std::uint16_t& count) {
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = key & mask;
  while (table_[slot] != no_number && keys_[table_[slot]] != key) slot = (slot + 1) & mask;
  if (table_[slot] == no_number) {
    keys_[count] = key;
    table_[slot] = count++;
  }
  return table_[slot];
}

}  // namespace tare::compact
