#include "proxy/compact/writer_mine.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "proxy/compact/chars.h"
#include "proxy/compact/writer_cover.h"
#include "proxy/compact/writer_fit.h"
#include "proxy/compact/writer_prefix.h"
#include "proxy/compact/writer_refine.h"
#include "proxy/compact/writer_split.h"

namespace tare::compact {
namespace {

constexpr std::size_t min_rows = 3;
constexpr Cost settled_percent = 85;  // gained by the cheap splitters: nothing left for the others
constexpr std::uint32_t field_counts[] = {2, 3, 4, 5, 6, 7, 8, 9, 11};

class Miner {
 public:
  explicit Miner(const MiningInput& input) : input_(input), fitter_(input.records, input.costs) {}

  std::vector<std::vector<Template>> mine() {
    add_alike();
    const bool settled = 100 * gained_ >= settled_percent * cost_to_cover();
    if (!settled) {
      add_fields();
      add_prefixes();
    }
    std::vector<std::vector<Template>> sets;
    sets.push_back(cover(fitter_, families_, true));
    if (!settled) sets.push_back(cover(fitter_, families_, false));
    return sets;
  }

 private:
  Cost cost_to_cover() const {
    Cost cost = 0;
    for (std::size_t i = 0; i < input_.records.size(); ++i)
      cost += input_.skip[i] ? 0 : input_.costs[i];
    return cost;
  }

  void add_refined(const Columns& columns, std::span<const std::uint32_t> rows) {
    Family family{refine(fitter_, columns, rows), columns, std::nullopt};
    for (const Template& shape : family.templates) gained_ += shape.gain;
    if (!family.templates.empty()) families_.push_back(std::move(family));
  }

  // Lines with the same text between their values. Alerts go with alerts only.
  void add_alike() {
    alike_.records = input_.records;
    const auto count = static_cast<std::uint32_t>(input_.records.size());
    std::vector<std::pair<std::uint64_t, std::uint32_t>> keyed;
    for (std::uint32_t record = 0; record < count; ++record) {
      alike_.first.push_back(static_cast<std::uint32_t>(alike_.values.size()));
      const std::string_view line = input_.records[record];
      if (input_.skip[record] || line.empty()) continue;
      std::uint64_t kind = 0;
      for (const Splitter* splitter : splitters()) {
        kind += 2;
        if (!splitter->accepts(line)) continue;
        const std::uint64_t key = splitter->split(line, alike_.values);
        const std::uint64_t values = alike_.values.size() - alike_.first.back();
        keyed.emplace_back(hash_step(key, values << 8 | kind | (input_.alert[record] ? 1 : 0)),
                           record);
        break;
      }
    }
    alike_.first.push_back(static_cast<std::uint32_t>(alike_.values.size()));
    std::sort(keyed.begin(), keyed.end());
    std::vector<std::vector<std::uint32_t>> groups;
    for (std::size_t i = 0; i < keyed.size();) {
      std::vector<std::uint32_t> rows;
      const std::uint64_t key = keyed[i].first;
      for (; i < keyed.size() && keyed[i].first == key; ++i) rows.push_back(keyed[i].second);
      if (rows.size() >= min_rows) groups.push_back(std::move(rows));
    }
    std::sort(groups.begin(), groups.end(),
              [](const auto& a, const auto& b) { return a[0] < b[0]; });
    for (const auto& rows : groups) {
      add_refined({&alike_, static_cast<std::uint32_t>(alike_.count(rows[0])), false}, rows);
    }
  }

  // Lines as a number of blank-separated columns, the last taking the rest of the line.
  void add_fields() {
    fields_.records = input_.records;
    const auto count = static_cast<std::uint32_t>(input_.records.size());
    for (std::uint32_t record = 0; record < count; ++record) {
      fields_.first.push_back(static_cast<std::uint32_t>(fields_.values.size()));
      if (!input_.skip[record] && !input_.alert[record])
        fields().split(input_.records[record], fields_.values);
    }
    fields_.first.push_back(static_cast<std::uint32_t>(fields_.values.size()));
    std::vector<std::uint32_t> rows;
    for (const std::uint32_t columns : field_counts) {
      rows.clear();
      for (std::uint32_t record = 0; record < count; ++record) {
        if (fields_.count(record) >= columns) rows.push_back(record);
      }
      if (rows.size() >= min_rows) add_refined({&fields_, columns, true}, rows);
    }
  }

  void add_prefixes() {
    std::vector<bool> skip = input_.skip;
    for (std::size_t i = 0; i < skip.size(); ++i) skip[i] = skip[i] || input_.alert[i];
    for (const PrefixRun& run : find_prefix_runs(input_.records, skip)) {
      std::vector<std::uint32_t> rows(run.last - run.first + 1);
      std::iota(rows.begin(), rows.end(), run.first);
      auto shape = fitter_.fit_prefix(run.prefix, rows);
      if (shape) families_.push_back({{std::move(*shape)}, {}, run.prefix});
    }
  }

  const MiningInput& input_;
  Fitter fitter_;
  Grid alike_;
  Grid fields_;
  std::vector<Family> families_;
  Cost gained_ = 0;
};

}  // namespace

std::vector<std::vector<Template>> mine(const MiningInput& input) {
  return Miner(input).mine();
}

}  // namespace tare::compact
