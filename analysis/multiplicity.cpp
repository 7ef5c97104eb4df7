#include "analysis/multiplicity.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tare::analysis {

std::vector<double> holm(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(p_values[i], i); });
  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double scaled = p_values[order[i]] * static_cast<double>(order.size() - i);
    largest = std::max(largest, std::min(1.0, scaled));
    adjusted[order[i]] = largest;
  }
  return adjusted;
}

double bonferroni_confidence(double confidence, std::size_t count) {
  return 1 - (1 - confidence) / static_cast<double>(std::max<std::size_t>(count, 1));
}

}  // namespace tare::analysis
