#include "analysis/normal.h"

#include <cmath>
#include <numbers>

namespace tare::analysis {
namespace {

// The place where a growing function reaches `p`: doubled until it is enclosed, then halved as far
// as a double goes.
template <typename Function>
double solved(Function below, double p) {
  double reach = 1;
  while (below(reach) < p || below(-reach) > p) reach *= 2;
  double low = -reach;
  double high = reach;
  for (int i = 0; i < 200 && low < high; ++i) {
    const double middle = low + (high - low) / 2;
    if (middle == low || middle == high) break;
    (below(middle) < p ? low : high) = middle;
  }
  return low + (high - low) / 2;
}

// P(|T| <= t) for t >= 0.
double student_within(double t, std::size_t freedom) {
  const double angle = std::atan2(t, std::sqrt(static_cast<double>(freedom)));
  const double cosine = std::cos(angle);
  const bool odd = freedom % 2 == 1;
  double sum = 0;
  double term = odd ? cosine : 1;
  for (std::size_t i = odd ? 1 : 0; i + 2 <= freedom; i += 2) {
    sum += term;
    const double k = static_cast<double>(i);
    term *= cosine * cosine * (k + 1) / (k + 2);
  }
  if (odd) return 2 / std::numbers::pi * (angle + std::sin(angle) * sum);
  return std::sin(angle) * sum;
}

}  // namespace

double normal_below(double z) {
  return std::erfc(-z / std::numbers::sqrt2) / 2;
}

double normal_quantile(double p) {
  return solved(normal_below, p);
}

double student_below(double t, std::size_t freedom) {
  const double within = student_within(std::abs(t), freedom);
  return t < 0 ? (1 - within) / 2 : (1 + within) / 2;
}

double student_quantile(double p, std::size_t freedom) {
  return solved([&](double t) { return student_below(t, freedom); }, p);
}

}  // namespace tare::analysis
