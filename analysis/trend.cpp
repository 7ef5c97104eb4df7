#include "analysis/trend.h"

#include <algorithm>
#include <cmath>

#include "analysis/rank_sum.h"
#include "analysis/statistics.h"

namespace tare::analysis {

std::string_view name_of(Trend trend) {
  switch (trend) {
    case Trend::flat:
      return "flat";
    case Trend::warming:
      return "warming";
    case Trend::slowing:
      return "slowing";
    case Trend::cannot_be_told:
      return "cannot be told";
  }
  return "";
}

Trend trend_of(std::span<const double> latencies) {
  constexpr std::size_t fewest = 12;
  constexpr double level = 0.05;
  const double smallest_change = std::log(1.05);
  if (latencies.size() < fewest) return Trend::cannot_be_told;
  if (std::ranges::any_of(latencies, [](double value) { return !(value > 0); })) {
    return Trend::cannot_be_told;
  }
  const std::size_t third = latencies.size() / 3;
  const auto first = latencies.first(third);
  const auto last = latencies.last(third);
  const double change = std::log(*median(last) / *median(first));
  if (std::abs(change) < smallest_change) return Trend::flat;
  if (*rank_sum_p(first, last, 0, Side::two_sided) > level) return Trend::flat;
  return change < 0 ? Trend::warming : Trend::slowing;
}

}  // namespace tare::analysis
