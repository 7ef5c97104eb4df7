#include "analysis/ranks.h"

#include <algorithm>
#include <numeric>

namespace tare::analysis {

std::vector<std::size_t> doubled_midranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<std::size_t> ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) ++last;
    for (std::size_t i = first; i <= last; ++i) ranks[order[i]] = first + last + 2;
    first = last + 1;
  }
  return ranks;
}

}  // namespace tare::analysis
