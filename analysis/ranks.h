// What the rank tests share (signed_rank.h, rank_sum.h). Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace tare::analysis {

struct Interval {
  double low = 0;
  double high = 0;

  bool contains(double value) const { return low <= value && value <= high; }
  bool inside(double bound) const { return -bound < low && high < bound; }
  double half_width() const { return (high - low) / 2; }
};

// What a test would show of a location.
enum class Side { less, greater, two_sided };

// The p-value asked for, from those of the two sides.
inline double p_of_side(double less, double greater, Side side) {
  if (side == Side::two_sided) return std::min(1.0, 2 * std::min(less, greater));
  return side == Side::less ? less : greater;
}

// Twice the rank of each value, from 1; equal values get the mean of their ranks, whose double is
// whole.
std::vector<std::size_t> doubled_midranks(std::span<const double> values);

}  // namespace tare::analysis
