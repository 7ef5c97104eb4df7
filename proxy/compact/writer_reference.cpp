#include "proxy/compact/writer_reference.h"

#include <fmt/format.h>

#include <iterator>
#include <numeric>

namespace tare::compact {
namespace {

constexpr Cost min_saved = 6 * token;
constexpr Cost mark_cost = 2 * token;  // and the line end

Cost cost_of(const Reference& reference, const Reference* before, const Earlier& earlier) {
  std::string text;
  append_reference(text, reference, before, earlier);
  return estimate(text) + mark_cost;
}

Cost sum_of(std::span<const LineCost> costs, const Reference& reference) {
  const auto own = costs.subspan(reference.record, reference.length);
  return std::accumulate(own.begin(), own.end(), Cost{0});
}

// The longest match at `record` and just above it, down to record `least`.
Reference match_at(std::span<const std::string_view> lines, std::uint32_t record,
                   std::uint32_t least, const Earlier& earlier) {
  auto stretch = earlier.longest_match(lines.subspan(record));
  if (stretch.count == 0) return {};
  const auto above = earlier.lines_above(stretch, lines.subspan(least, record - least));
  const std::uint32_t length = stretch.count + above;
  const std::uint32_t first = stretch.first - above;
  return {record - above, length, stretch.output, first,
          length == earlier.line_count(stretch.output)};
}

}  // namespace

std::vector<Reference> find_references(std::span<const std::string_view> lines,
                                       std::span<const LineCost> costs, const Earlier& earlier,
                                       const std::stop_token& stop) {
  std::vector<Reference> found;
  std::uint32_t free = 0;  // the first line that no reference tells
  for (std::uint32_t i = 0; i < lines.size();) {
    if (stop.stop_requested()) break;
    const Reference match = match_at(lines, i, free, earlier);
    const Reference* before = found.empty() ? nullptr : &found.back();
    if (match.length == 0 || sum_of(costs, match) < cost_of(match, before, earlier) + min_saved) {
      ++i;
      continue;
    }
    found.push_back(match);
    i = free = match.record + match.length;
  }
  return found;
}

void drop_unearned(std::vector<Reference>& references, std::span<const LineCost> told,
                   const Earlier& earlier) {
  std::vector<Reference> kept;
  for (const Reference& reference : references) {
    const Reference* before = kept.empty() ? nullptr : &kept.back();
    if (sum_of(told, reference) >= cost_of(reference, before, earlier) + min_saved)
      kept.push_back(reference);
  }
  references = std::move(kept);
}

void append_reference(std::string& out, const Reference& reference, const Reference* before,
                      const Earlier& earlier) {
  out += '@';
  const bool same = before != nullptr && before->output == reference.output;
  if (!same || reference.whole) out += earlier.name(reference.output);
  if (reference.whole) return;
  fmt::format_to(std::back_inserter(out), " {}-{}", reference.first + 1,
                 reference.first + reference.length);
}

}  // namespace tare::compact
