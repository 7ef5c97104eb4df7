#include "analysis/signed_rank.h"

#include <algorithm>
#include <cmath>

#include "analysis/normal.h"

namespace tare::analysis {
namespace {

constexpr std::size_t most_exact = 100;

std::vector<double> walsh_averages(std::span<const double> values) {
  std::vector<double> averages;
  averages.reserve(values.size() * (values.size() + 1) / 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i; j < values.size(); ++j) averages.push_back((values[i] + values[j]) / 2);
  }
  return averages;
}

std::vector<std::size_t> ranks_without_ties(std::size_t n) {
  std::vector<std::size_t> doubled(n);
  for (std::size_t i = 0; i < n; ++i) doubled[i] = 2 * (i + 1);
  return doubled;
}

// How many of the smallest averages lie outside the interval on each side; nothing when even none
// leaves too little confidence.
std::optional<std::size_t> outside(std::size_t n, double confidence) {
  const double tail = (1 - confidence) / 2;
  if (n > most_exact) {
    const double count = static_cast<double>(n);
    const double mean = count * (count + 1) / 4;
    const double spread = std::sqrt(count * (count + 1) * (2 * count + 1) / 24);
    return static_cast<std::size_t>(std::max(0.0, mean - normal_quantile(1 - tail) * spread - 0.5));
  }
  const SignedRankDistribution distribution(n);
  // A hair's breadth for the rounding of 1 - confidence.
  const double allowed = tail * (1 + 1e-9);
  if (distribution.at_most(0) > allowed) return std::nullopt;
  std::size_t sum = 0;
  while (distribution.at_most(2 * (sum + 1)) <= allowed) ++sum;
  return sum;
}

struct Signed {
  std::vector<std::size_t> doubled_ranks;  // of the distances from the shift
  std::size_t positive = 0;                // their sum where the value is above it
};

Signed signed_ranks(std::span<const double> values, double shift) {
  std::vector<double> distances;
  std::vector<bool> above;
  for (const double value : values) {
    if (value == shift) continue;
    distances.push_back(std::abs(value - shift));
    above.push_back(value > shift);
  }
  Signed result{doubled_midranks(distances), 0};
  for (std::size_t i = 0; i < above.size(); ++i) {
    if (above[i]) result.positive += result.doubled_ranks[i];
  }
  return result;
}

double approximate_p(const Signed& ranks, Side side) {
  double mean = 0;
  double variance = 0;
  for (const std::size_t doubled : ranks.doubled_ranks) {
    const double rank = static_cast<double>(doubled) / 2;
    mean += rank / 2;
    variance += rank * rank / 4;
  }
  const double distance = static_cast<double>(ranks.positive) / 2 - mean;
  const double spread = std::sqrt(variance);
  return p_of_side(normal_below((distance + 0.5) / spread),
                   1 - normal_below((distance - 0.5) / spread), side);
}

}  // namespace

std::optional<double> hodges_lehmann(std::span<const double> values) {
  if (values.empty()) return std::nullopt;
  auto averages = walsh_averages(values);
  const auto middle = averages.begin() + static_cast<std::ptrdiff_t>(averages.size() / 2);
  std::nth_element(averages.begin(), middle, averages.end());
  if (averages.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(averages.begin(), middle)) / 2;
}

SignedRankDistribution::SignedRankDistribution(std::span<const std::size_t> doubled_ranks) {
  cumulative_.assign(1, 1.0);
  for (const std::size_t rank : doubled_ranks) {
    cumulative_.resize(cumulative_.size() + rank, 0.0);
    for (std::size_t sum = cumulative_.size(); sum-- > 0;) {
      const double with = sum >= rank ? cumulative_[sum - rank] : 0.0;
      cumulative_[sum] = (cumulative_[sum] + with) / 2;
    }
  }
  for (std::size_t sum = 1; sum < cumulative_.size(); ++sum)
    cumulative_[sum] += cumulative_[sum - 1];
}

SignedRankDistribution::SignedRankDistribution(std::size_t n)
    : SignedRankDistribution(ranks_without_ties(n)) {}

double SignedRankDistribution::at_most(std::size_t doubled_sum) const {
  return doubled_sum >= cumulative_.size() ? 1.0 : std::min(1.0, cumulative_[doubled_sum]);
}

// The distribution is symmetric about half of its largest sum.
double SignedRankDistribution::at_least(std::size_t doubled_sum) const {
  const std::size_t largest = cumulative_.size() - 1;
  return doubled_sum > largest ? 0.0 : at_most(largest - doubled_sum);
}

std::optional<double> signed_rank_p(std::span<const double> values, double shift, Side side) {
  if (values.empty()) return std::nullopt;
  const Signed ranks = signed_ranks(values, shift);
  if (ranks.doubled_ranks.empty()) return 1.0;
  if (ranks.doubled_ranks.size() > most_exact) return approximate_p(ranks, side);
  const SignedRankDistribution distribution(ranks.doubled_ranks);
  return p_of_side(distribution.at_most(ranks.positive), distribution.at_least(ranks.positive),
                   side);
}

std::optional<Interval> signed_rank_interval(std::span<const double> values, double confidence) {
  if (values.empty()) return std::nullopt;
  const auto left_out = outside(values.size(), confidence);
  if (!left_out) return std::nullopt;
  auto averages = walsh_averages(values);
  std::sort(averages.begin(), averages.end());
  return Interval{averages[*left_out], averages[averages.size() - 1 - *left_out]};
}

std::size_t needed_for_interval(double confidence) {
  std::size_t n = 1;
  while (!outside(n, confidence)) ++n;
  return n;
}

}  // namespace tare::analysis
