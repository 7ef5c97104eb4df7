#include "proxy/compact/writer_mine.h"

#include <algorithm>
#include <utility>

#include "proxy/compact/chars.h"
#include "proxy/compact/writer_fit.h"
#include "proxy/compact/writer_split.h"

namespace tare::compact {
namespace {

constexpr std::size_t min_rows = 3;
constexpr std::size_t min_rows_with_slots = 4;  // fewer must save half of what they cost
constexpr Cost min_gain = 4 * token;

// Records that were split alike.
struct Cluster {
  std::size_t columns = 0;
  std::vector<std::uint32_t> rows;
};

// Splits the records and gathers those with one key, in the order of their first records.
std::vector<Cluster> find_clusters(const MiningInput& input, Grid& grid) {
  const auto count = static_cast<std::uint32_t>(input.records.size());
  std::vector<std::pair<std::uint64_t, std::uint32_t>> keyed;  // key, record
  grid.first.resize(count);
  for (std::uint32_t record = 0; record < count; ++record) {
    const std::string_view line = input.records[record];
    grid.first[record] = static_cast<std::uint32_t>(grid.values.size());
    if (input.skip[record] || line.empty()) continue;
    for (std::uint64_t kind = 0; const Splitter* splitter : splitters()) {
      ++kind;
      if (!splitter->accepts(line)) continue;
      const std::uint64_t key = splitter->split(line, grid.values);
      const std::uint64_t columns = grid.values.size() - grid.first[record];
      const std::uint64_t class_of = 4 * columns + 2 * kind + (input.alert[record] ? 1 : 0);
      keyed.emplace_back(hash_step(key, class_of), record);
      break;
    }
  }
  std::sort(keyed.begin(), keyed.end());
  std::vector<Cluster> clusters;
  for (std::size_t i = 0; i < keyed.size();) {
    std::size_t end = i;
    while (end < keyed.size() && keyed[end].first == keyed[i].first) ++end;
    if (end - i >= min_rows) {
      Cluster cluster;
      const std::uint32_t first = keyed[i].second;
      const std::size_t values_end = first + 1 < count ? grid.first[first + 1] : grid.values.size();
      cluster.columns = values_end - grid.first[first];
      for (; i < end; ++i) cluster.rows.push_back(keyed[i].second);
      clusters.push_back(std::move(cluster));
    }
    i = end;
  }
  std::sort(clusters.begin(), clusters.end(),
            [](const Cluster& a, const Cluster& b) { return a.rows[0] < b.rows[0]; });
  return clusters;
}

bool earns_definition(const Template& shape, std::span<const Cost> costs) {
  if (shape.gain < min_gain) return false;
  if (shape.slots == 0 || shape.rows.size() >= min_rows_with_slots) return true;
  Cost before = 0;
  for (const std::uint32_t row : shape.rows) before += costs[row];
  return 2 * shape.gain >= before;
}

}  // namespace

std::vector<Template> mine(const MiningInput& input) {
  Grid grid;
  Fitter fitter(input.records, input.costs);
  std::vector<Template> templates;
  for (Cluster& cluster : find_clusters(input, grid)) {
    auto shape = fitter.fit(grid, cluster.columns, std::move(cluster.rows));
    if (shape && earns_definition(*shape, input.costs)) templates.push_back(std::move(*shape));
  }
  return templates;
}

}  // namespace tare::compact
