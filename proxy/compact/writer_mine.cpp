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
// Less will do, and still less of a sample, when hardly a record is left: the others could only
// part its values in another way.
constexpr Cost settled_covered_percent = 98;
constexpr Cost settled_when_covered_percent = 76;
constexpr Cost settled_sample_percent = 70;
constexpr std::uint32_t field_counts[] = {2, 3, 4, 5, 6, 7, 8, 9, 11};

class Miner {
 public:
  explicit Miner(const MiningInput& input)
      : input_(input), alike_(input.records), fields_(input.records) {}

  std::vector<std::vector<Template>> mine() {
    const bool settled = add_families();
    Fitter fitter(input_);
    std::vector<std::vector<Template>> sets;
    sets.push_back(cover(fitter, families_, true));
    if (!settled) sets.push_back(cover(fitter, families_, false));
    return sets;
  }

 private:
  std::uint32_t count() const { return static_cast<std::uint32_t>(input_.records.size()); }
  bool mined(std::uint32_t record) const { return !input_.skip[record]; }

  // True when lines that are alike are all that is needed.
  bool add_families() {
    Fitter fitter(input_);
    Refiner refiner(fitter);
    add_alike(refiner);
    if (is_settled()) return true;
    add_fields(refiner);
    if (!input_.sampled) add_prefixes(fitter);
    return false;
  }

  bool is_settled() const {
    const Cost all = cost_to_cover();
    if (100 * gained_ >= settled_percent * all) return true;
    const Cost enough = input_.sampled ? settled_sample_percent : settled_when_covered_percent;
    return 100 * gained_ >= enough * all && 100 * covered_ >= settled_covered_percent * all;
  }

  Cost cost_to_cover() const {
    Cost cost = 0;
    for (std::uint32_t i = 0; i < count(); ++i) cost += mined(i) ? input_.costs[i] : 0;
    return cost;
  }

  void add_refined(Refiner& refiner, const Columns& columns, std::span<const std::uint32_t> rows) {
    Family family{refiner.refine(columns, rows), columns, std::nullopt};
    for (const Group& group : family.groups) {
      gained_ += group.gain;
      for (const std::uint32_t row : group.rows) covered_ += input_.costs[row];
    }
    if (!family.groups.empty()) families_.push_back(std::move(family));
  }

  // Lines with the same text between their values. Alerts go with alerts only.
  void add_alike(Refiner& refiner) {
    split_alike();
    for (const auto& rows : alike_groups()) {
      if (input_.stop.stop_requested()) return;
      add_refined(refiner, {&alike_, alike_.count(rows[0]), false}, rows);
    }
  }

  // Records with the same key, by the first of them.
  std::vector<std::vector<std::uint32_t>> alike_groups() {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> keyed;
    keyed.reserve(count());
    for (std::uint32_t record = 0; record < count(); ++record) {
      if (keys_[record] != 0 && mined(record)) keyed.emplace_back(keys_[record], record);
    }
    keys_ = std::vector<std::uint64_t>();
    std::sort(keyed.begin(), keyed.end());
    std::vector<std::vector<std::uint32_t>> groups;
    for (std::size_t i = 0; i < keyed.size();) {
      std::size_t end = i + 1;
      while (end < keyed.size() && keyed[end].first == keyed[i].first) ++end;
      if (end - i >= min_rows) {
        auto& rows = groups.emplace_back();
        rows.reserve(end - i);
        for (std::size_t k = i; k < end; ++k) rows.push_back(keyed[k].second);
      }
      i = end;
    }
    std::sort(groups.begin(), groups.end(),
              [](const auto& a, const auto& b) { return a[0] < b[0]; });
    return groups;
  }

  void split_alike() {
    keys_.assign(count(), 0);
    speaks_for_twins_.assign(count(), false);
    for (std::uint32_t record = 0; record < count(); ++record) {
      const std::uint32_t twin = input_.twins[record];
      if (twin < record && mined(record) && speaks_for_twins_[twin]) {
        keys_[record] = keys_[twin];
        alike_.add_twin(twin);
        continue;
      }
      split_.clear();
      if (mined(record) && !input_.records[record].empty() && !input_.stop.stop_requested())
        split_alike(record);
      alike_.add_record(split_);
    }
    alike_.finish();
  }

  void split_alike(std::uint32_t record) {
    const std::string_view line = input_.records[record];
    std::uint64_t kind = 0;
    for (const Splitter* splitter : splitters()) {
      kind += 2;
      if (!splitter->accepts(line)) continue;
      const std::uint64_t key = splitter->split(line, split_);
      keys_[record] =
          hash_step(key, std::uint64_t{split_.size()} << 8 | kind | (input_.alert[record] ? 1 : 0));
      speaks_for_twins_[record] = hold_all_digits(split_, line);
      return;
    }
  }

  // Lines as a number of blank-separated columns, the last taking the rest of the line.
  void add_fields(Refiner& refiner) {
    for (std::uint32_t record = 0; record < count(); ++record) {
      split_.clear();
      if (!input_.skip[record] && !input_.alert[record])
        fields().split(input_.records[record], split_);
      fields_.add_record(split_);
    }
    fields_.finish();
    std::vector<std::uint32_t> rows;
    for (const std::uint32_t columns : field_counts) {
      if (input_.stop.stop_requested()) return;
      rows.clear();
      for (std::uint32_t record = 0; record < count(); ++record) {
        if (mined(record) && fields_.count(record) >= columns) rows.push_back(record);
      }
      if (rows.size() >= min_rows) add_refined(refiner, {&fields_, columns, true}, rows);
    }
  }

  void add_prefixes(Fitter& fitter) {
    for (const PrefixRun& run : find_prefix_runs(input_.records, without_alerts(), input_.stop)) {
      if (auto group = fit_run(fitter, run))
        families_.push_back({{std::move(*group)}, {}, run.prefix});
    }
  }

  std::vector<bool> without_alerts() const {
    std::vector<bool> skip = input_.skip;
    for (std::size_t i = 0; i < skip.size(); ++i) skip[i] = skip[i] || input_.alert[i];
    return skip;
  }

  std::optional<Group> fit_run(Fitter& fitter, const PrefixRun& run) {
    std::vector<std::uint32_t> rows(run.last - run.first + 1);
    std::iota(rows.begin(), rows.end(), run.first);
    const Template* shape = fitter.fit_prefix(run.prefix, rows);
    if (shape == nullptr) return std::nullopt;
    return Group{std::move(rows), shape->gain, nullptr};
  }

  const MiningInput& input_;
  Grid alike_;
  Grid fields_;
  std::vector<std::string_view> split_;  // the record that is being split
  std::vector<std::uint64_t> keys_;      // of the records, by splitter; 0 when none took it
  std::vector<bool> speaks_for_twins_;   // records whose twins have their key and values
  std::vector<Family> families_;
  Cost gained_ = 0;   // by the cheap splitters
  Cost covered_ = 0;  // what the records of their templates cost
};

}  // namespace

std::vector<std::vector<Template>> mine(const MiningInput& input) {
  return Miner(input).mine();
}

}  // namespace tare::compact
