#include "analysis/rank_sum.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/normal.h"
#include "analysis/statistics.h"

namespace tare::analysis {
namespace {

constexpr std::size_t most_exact = 60;

std::vector<double> differences(std::span<const double> a, std::span<const double> b) {
  std::vector<double> all;
  all.reserve(a.size() * b.size());
  for (const double x : a) {
    for (const double y : b) all.push_back(y - x);
  }
  return all;
}

// P(sum <= s) of `chosen` of the ranks drawn without order, by doubled sum.
std::vector<double> sum_distribution(std::span<const std::size_t> doubled_ranks,
                                     std::size_t chosen) {
  std::size_t largest = 0;
  for (const std::size_t rank : doubled_ranks) largest += rank;
  std::vector<std::vector<double>> ways(chosen + 1, std::vector<double>(largest + 1, 0.0));
  ways[0][0] = 1;
  for (const std::size_t rank : doubled_ranks) {
    for (std::size_t count = chosen; count > 0; --count) {
      for (std::size_t sum = largest; sum >= rank; --sum) {
        ways[count][sum] += ways[count - 1][sum - rank];
      }
    }
  }
  auto& cumulative = ways[chosen];
  for (std::size_t sum = 1; sum <= largest; ++sum) cumulative[sum] += cumulative[sum - 1];
  const double total = cumulative.back();
  for (double& value : cumulative) value /= total;
  return cumulative;
}

double approximate_p(std::span<const std::size_t> ranks, std::size_t n_b, double sum_b, Side side) {
  const auto n = static_cast<double>(ranks.size());
  const double share = static_cast<double>(n_b);
  double squares = 0;
  for (const std::size_t doubled : ranks) {
    const double from_middle = static_cast<double>(doubled) / 2 - (n + 1) / 2;
    squares += from_middle * from_middle;
  }
  const double spread = std::sqrt(share * (n - share) / (n * (n - 1)) * squares);
  if (!(spread > 0)) return 1.0;
  const double distance = sum_b - share * (n + 1) / 2;
  return p_of_side(normal_below((distance + 0.5) / spread),
                   1 - normal_below((distance - 0.5) / spread), side);
}

// How many differences lie outside the interval on each side.
std::optional<std::size_t> outside(std::size_t n_a, std::size_t n_b, double confidence) {
  const double tail = (1 - confidence) / 2;
  const auto a = static_cast<double>(n_a);
  const auto b = static_cast<double>(n_b);
  if (n_a + n_b > most_exact) {
    const double spread = std::sqrt(a * b * (a + b + 1) / 12);
    return static_cast<std::size_t>(
        std::max(0.0, a * b / 2 - normal_quantile(1 - tail) * spread - 0.5));
  }
  std::vector<std::size_t> ranks(n_a + n_b);
  for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] = 2 * (i + 1);
  const auto distribution = sum_distribution(ranks, n_b);
  const std::size_t smallest = n_b * (n_b + 1) / 2;
  const double allowed = tail * (1 + 1e-9);
  if (distribution[2 * smallest] > allowed) return std::nullopt;
  std::size_t count = 0;
  while (distribution[2 * (smallest + count + 1)] <= allowed) ++count;
  return count;
}

}  // namespace

std::optional<double> median_shift(std::span<const double> a, std::span<const double> b) {
  return median(differences(a, b));
}

std::optional<double> rank_sum_p(std::span<const double> a, std::span<const double> b, double shift,
                                 Side side) {
  if (a.empty() || b.empty()) return std::nullopt;
  std::vector<double> together(a.begin(), a.end());
  for (const double value : b) together.push_back(value - shift);
  const auto ranks = doubled_midranks(together);
  std::size_t sum_b = 0;
  std::size_t all = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    all += ranks[i];
    if (i >= a.size()) sum_b += ranks[i];
  }
  if (together.size() > most_exact) {
    return approximate_p(ranks, b.size(), static_cast<double>(sum_b) / 2, side);
  }
  const auto distribution = sum_distribution(ranks, b.size());
  const double below = sum_b == 0 ? 0 : distribution[sum_b - 1];
  return p_of_side(distribution[std::min(sum_b, all)], 1 - below, side);
}

std::optional<Interval> shift_interval(std::span<const double> a, std::span<const double> b,
                                       double confidence) {
  if (a.empty() || b.empty()) return std::nullopt;
  const auto left_out = outside(a.size(), b.size(), confidence);
  if (!left_out) return std::nullopt;
  auto all = differences(a, b);
  std::sort(all.begin(), all.end());
  return Interval{all[*left_out], all[all.size() - 1 - *left_out]};
}

}  // namespace tare::analysis
