#include "proxy/compact/writer_sample.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "proxy/compact/writer_fit.h"
#include "proxy/compact/writer_match.h"
#include "proxy/compact/writer_prefix.h"
#include "proxy/compact/writer_twins.h"

namespace tare::compact {
namespace {

constexpr std::size_t stretch = 128;
constexpr std::size_t stretches = max_mined / stretch;
constexpr std::size_t min_rows = 3;
constexpr Cost min_gain = 4 * token;

struct Candidate {
  const Template* shape = nullptr;
  Matcher matcher;
  bool alert = false;  // its instances are alerts
  std::vector<std::uint32_t> rows;
  Parts values;  // row by row
};

// The narrowest first: a record goes to the first that it matches.
bool goes_first(const Candidate& a, const Candidate& b) {
  const auto rank = [](const Candidate& c) {
    return std::tuple(c.shape->span(), c.shape->slots == 0, c.matcher.fixed_bytes());
  };
  return rank(a) != rank(b) ? rank(a) > rank(b) : a.shape < b.shape;
}

std::vector<Candidate> candidates_of(std::span<const Template> found, const Sample& sample) {
  std::vector<Candidate> candidates;
  for (const Template& shape : found) {
    if (auto matcher = Matcher::make(shape))
      candidates.push_back({&shape, std::move(*matcher), sample.alert[shape.rows[0]], {}, {}});
  }
  std::sort(candidates.begin(), candidates.end(), goes_first);
  return candidates;
}

// All lines of an instance may be covered, and are alerts or not.
bool may_cover(const MiningInput& all, std::size_t record, const Candidate& candidate) {
  const std::size_t end = record + candidate.shape->span();
  if (end > all.records.size()) return false;
  for (; record < end; ++record) {
    if (all.skip[record] || all.alert[record] != candidate.alert) return false;
  }
  return true;
}

Template filled(Candidate& from, std::span<const std::string_view> records) {
  Template shape;
  shape.lines = from.shape->lines;
  shape.records = records;
  shape.slots = from.shape->slots;
  shape.slot_lines = from.shape->slot_lines;
  shape.separator = from.shape->separator;
  shape.rows = std::move(from.rows);
  shape.values.reserve(from.values.size());
  for (std::size_t slot = 0; slot < shape.slots; ++slot) {
    for (std::size_t i = slot; i < from.values.size(); i += shape.slots)
      shape.values.push_back(from.values[i]);
  }
  from.values = Parts();
  return shape;
}

// Templates of neighbours that begin alike, among the records that are not taken.
void add_prefixes(const MiningInput& all, const std::vector<bool>& taken,
                  std::vector<Template>& templates) {
  Fitter fitter(all);
  std::vector<std::uint32_t> rows;
  for (const PrefixRun& run : find_prefix_runs(all.records, taken, all.stop)) {
    if (all.stop.stop_requested()) return;
    rows.resize(run.last - run.first + 1);
    std::iota(rows.begin(), rows.end(), run.first);
    const Template* shape = fitter.fit_prefix(run.prefix, rows);
    if (shape != nullptr && shape->gain >= min_gain) templates.push_back(*shape);
  }
}

}  // namespace

Sample::Sample(const MiningInput& all, const Records& text) {
  records.layout = text.layout;
  const auto usable = static_cast<std::size_t>(std::count(all.skip.begin(), all.skip.end(), false));
  const auto begin_of = [&](std::size_t k) { return k * (usable - stretch) / (stretches - 1); };
  std::size_t nth = 0;  // among those that are to be covered
  std::size_t current = 0;
  for (std::size_t i = 0; i < all.records.size(); ++i) {
    if (all.skip[i]) continue;
    if (current + 1 < stretches && nth >= begin_of(current + 1)) ++current;
    if (nth++ >= begin_of(current) + stretch) continue;
    records.lines.push_back(all.records[i]);
    costs.push_back(all.costs[i]);
    numbers.push_back(text.first_line + static_cast<std::uint32_t>(i) + 1);
    alert.push_back(all.alert[i]);
  }
  skip.assign(records.lines.size(), false);
  twins = find_twins(records.lines, all.stop);
}

std::vector<Template> match_all(const MiningInput& all, std::span<const Template> found,
                                const Sample& sample, std::uint32_t first_line) {
  std::vector<Candidate> candidates = candidates_of(found, sample);
  std::vector<bool> taken = all.skip;
  for (std::size_t record = 0; record < all.records.size();) {
    if (all.stop.stop_requested()) return {};
    if (all.skip[record]) {
      ++record;
      continue;
    }
    const LineEnds ends(all.records[record]);
    const auto matches = [&](Candidate& c) {
      return c.matcher.may_match(ends) && may_cover(all, record, c) &&
             c.matcher.match(all.records, record,
                             first_line + static_cast<std::uint32_t>(record) + 1);
    };
    const auto first = std::ranges::find_if(candidates, matches);
    if (first == candidates.end()) {
      taken[record] = taken[record] || all.alert[record];
      ++record;
      continue;
    }
    first->rows.push_back(static_cast<std::uint32_t>(record));
    for (std::size_t slot = 0; slot < first->shape->slots; ++slot) {
      first->values.push_back(Part::of(all.records[record + first->shape->line_of(slot)],
                                       first->matcher.values()[slot]));
    }
    for (std::size_t i = 0; i < first->shape->span(); ++i) taken[record++] = true;
  }
  std::vector<Template> templates;
  for (Candidate& candidate : candidates) {
    if (candidate.rows.size() >= min_rows) templates.push_back(filled(candidate, all.records));
  }
  add_prefixes(all, taken, templates);
  return templates;
}

}  // namespace tare::compact
