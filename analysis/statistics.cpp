#include "analysis/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace tare::analysis {

std::optional<double> mean(std::span<const double> values) {
  if (values.empty()) return std::nullopt;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::optional<double> quantile(std::span<const double> values, double p) {
  if (values.empty()) return std::nullopt;
  std::vector<double> copy;
  std::span<const double> sorted = values;
  if (!std::is_sorted(values.begin(), values.end())) {
    copy.assign(values.begin(), values.end());
    std::sort(copy.begin(), copy.end());
    sorted = copy;
  }
  const double place = static_cast<double>(sorted.size() - 1) * p;
  const auto below = static_cast<std::size_t>(place);
  const auto above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

std::optional<double> median(std::span<const double> values) {
  return quantile(values, 0.5);
}

std::size_t needed_for_tail(double p) {
  // The small margin undoes that 1 - 0.95 is a little more than 0.05 in binary.
  return static_cast<std::size_t>(std::ceil(10.0 / (1.0 - p) - 1e-6));
}

std::optional<double> tail_quantile(std::span<const double> values, double p) {
  if (values.size() < needed_for_tail(p)) return std::nullopt;
  return quantile(values, p);
}

std::optional<double> largest(std::span<const double> values) {
  if (values.empty()) return std::nullopt;
  return *std::max_element(values.begin(), values.end());
}

std::optional<double> ratio(std::optional<double> a, std::optional<double> b) {
  if (!a || !b || !(*b > 0)) return std::nullopt;
  return *a / *b;
}

}  // namespace tare::analysis
