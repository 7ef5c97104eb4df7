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
constexpr Cost min_gain = 4 * token;
constexpr Cost settled_percent = 85;  // gained by the cheap splitters: nothing left for the others
constexpr std::uint32_t field_counts[] = {2, 3, 4, 5, 6, 7, 8, 9, 11};

// Longer texts are mined on a sample: stretches of neighbours, evenly spread.
constexpr std::size_t max_mined = 2048;
constexpr std::size_t stretch = 128;

class Miner {
 public:
  explicit Miner(const MiningInput& input)
      : input_(input),
        fitter_(input.records, input.costs, input.laws),
        alike_(input.records),
        fields_(input.records),
        sampled_(usable() > max_mined) {
    if (sampled_) take_sample();
  }

  std::vector<std::vector<Template>> mine() {
    add_alike();
    const bool settled = 100 * gained_ >= settled_percent * cost_to_cover();
    if (!settled) {
      add_fields();
      if (!sampled_) add_prefixes();
    }
    for (std::uint32_t i = 0; i < families_.size(); ++i) {
      for (Template& shape : families_[i].templates) shape.family = i;
    }
    std::vector<std::vector<Template>> sets;
    sets.push_back(cover(fitter_, families_, true));
    if (!settled) sets.push_back(cover(fitter_, families_, false));
    if (sampled_) {
      for (auto& set : sets) set = apply(set);
    }
    return sets;
  }

 private:
  std::uint32_t count() const { return static_cast<std::uint32_t>(input_.records.size()); }
  bool mined(std::uint32_t record) const {
    return !input_.skip[record] && (!sampled_ || sample_[record]);
  }
  std::size_t usable() const {
    return static_cast<std::size_t>(std::count(input_.skip.begin(), input_.skip.end(), false));
  }

  void take_sample() {
    sample_.assign(count(), false);
    const std::size_t stretches = max_mined / stretch;
    for (std::size_t i = 0; i < stretches; ++i) {
      const std::size_t begin = i * (count() - stretch) / (stretches - 1);
      std::fill_n(sample_.begin() + static_cast<std::ptrdiff_t>(begin), stretch, true);
    }
  }

  Cost cost_to_cover() const {
    Cost cost = 0;
    for (std::uint32_t i = 0; i < count(); ++i) cost += mined(i) ? input_.costs[i] : 0;
    return cost;
  }

  void add_refined(const Columns& columns, std::uint64_t key, std::span<const std::uint32_t> rows) {
    Family family{refine(fitter_, columns, rows), columns, std::nullopt, key};
    for (const Template& shape : family.templates) gained_ += shape.gain;
    if (!family.templates.empty()) families_.push_back(std::move(family));
  }

  // Lines with the same text between their values. Alerts go with alerts only.
  void add_alike() {
    split_alike();
    std::vector<std::pair<std::uint64_t, std::uint32_t>> keyed;
    for (std::uint32_t record = 0; record < count(); ++record) {
      if (keys_[record] != 0 && mined(record)) keyed.emplace_back(keys_[record], record);
    }
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
      add_refined({&alike_, alike_.count(rows[0]), false}, keys_[rows[0]], rows);
    }
  }

  void split_alike() {
    keys_.assign(count(), 0);
    for (std::uint32_t record = 0; record < count(); ++record) {
      const std::string_view line = input_.records[record];
      alike_.begin_record();
      if (input_.skip[record] || line.empty()) continue;
      std::uint64_t kind = 0;
      for (const Splitter* splitter : splitters()) {
        kind += 2;
        if (!splitter->accepts(line)) continue;
        const std::uint64_t key = splitter->split(line, alike_.values());
        keys_[record] = hash_step(
            key, std::uint64_t{alike_.count(record)} << 8 | kind | (input_.alert[record] ? 1 : 0));
        break;
      }
    }
  }

  // Lines as a number of blank-separated columns, the last taking the rest of the line.
  void add_fields() {
    for (std::uint32_t record = 0; record < count(); ++record) {
      fields_.begin_record();
      if (!input_.skip[record] && !input_.alert[record])
        fields().split(input_.records[record], fields_.values());
    }
    std::vector<std::uint32_t> rows;
    for (const std::uint32_t columns : field_counts) {
      rows.clear();
      for (std::uint32_t record = 0; record < count(); ++record) {
        if (mined(record) && fields_.count(record) >= columns) rows.push_back(record);
      }
      if (rows.size() >= min_rows) add_refined({&fields_, columns, true}, 0, rows);
    }
  }

  void add_prefixes() {
    for (const PrefixRun& run : find_prefix_runs(input_.records, without_alerts())) {
      if (auto shape = fit_run(run)) families_.push_back({{std::move(*shape)}, {}, run.prefix, 0});
    }
  }

  std::vector<bool> without_alerts() const {
    std::vector<bool> skip = input_.skip;
    for (std::size_t i = 0; i < skip.size(); ++i) skip[i] = skip[i] || input_.alert[i];
    return skip;
  }

  std::optional<Template> fit_run(const PrefixRun& run) {
    std::vector<std::uint32_t> rows(run.last - run.first + 1);
    std::iota(rows.begin(), rows.end(), run.first);
    return fitter_.fit_prefix(run.prefix, rows);
  }

  // What the sample showed, for all records: each goes to the first template whose path it can go,
  // which is then fitted anew; common prefixes take what is left.
  std::vector<Template> apply(std::span<const Template> found) {
    std::vector<std::vector<std::uint32_t>> rows(found.size());
    std::vector<bool> taken = without_alerts();
    for (std::uint32_t record = 0; record < count(); ++record) {
      if (input_.skip[record]) continue;
      const auto leads = [&](const Template& shape) { return leads_to(shape, record); };
      const auto first = std::find_if(found.begin(), found.end(), leads);
      if (first == found.end()) continue;
      rows[static_cast<std::size_t>(first - found.begin())].push_back(record);
    }
    std::vector<Template> all;
    const auto keep = [&](std::optional<Template> shape) {
      if (!shape || shape->gain < min_gain) return;
      for (const std::uint32_t row : shape->rows) taken[row] = true;
      all.push_back(std::move(*shape));
    };
    for (std::size_t i = 0; i < found.size(); ++i)
      keep(fitter_.fit(families_[found[i].family].columns, rows[i]));
    for (const PrefixRun& run : find_prefix_runs(input_.records, taken)) keep(fit_run(run));
    return all;
  }

  bool leads_to(const Template& shape, std::uint32_t record) const {
    const Family& family = families_[shape.family];
    const bool in_group = family.key != 0 ? keys_[record] == family.key
                                          : fields_.count(record) >= family.columns.count;
    return in_group && std::ranges::all_of(shape.path, [&](const PathStep& step) {
             const std::uint64_t key = family.columns.key(record, step.column, step.by_shape);
             return std::ranges::binary_search(step.keys, key) != step.rest;
           });
  }

  const MiningInput& input_;
  Fitter fitter_;
  Grid alike_;
  Grid fields_;
  bool sampled_;
  std::vector<bool> sample_;
  std::vector<std::uint64_t> keys_;  // of the records, by splitter; 0 when none took it
  std::vector<Family> families_;
  Cost gained_ = 0;
};

}  // namespace

std::vector<std::vector<Template>> mine(const MiningInput& input) {
  return Miner(input).mine();
}

}  // namespace tare::compact
