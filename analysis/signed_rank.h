// The location of paired differences: Hodges-Lehmann's estimate, and Wilcoxon's signed-rank test
// and interval. Used on log ratios, one value a round: nothing is assumed of their distribution but
// that it is symmetric. Pure functions.
//
// Sources: Wilcoxon, "Individual Comparisons by Ranking Methods", Biometrics Bulletin 1 (1945);
// Hodges and Lehmann, "Estimates of Location Based on Rank Tests", Annals of Mathematical
// Statistics 34 (1963); Hollander, Wolfe and Chicken, "Nonparametric Statistical Methods", 3rd
// edition (2014), section 3.1 to 3.3.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "analysis/ranks.h"

namespace tare::analysis {

// The median of the averages of every two values, each with itself too. Nothing of no values; the
// value itself of one.
std::optional<double> hodges_lehmann(std::span<const double> values);

// P(W+ <= w) of ranks whose signs are fair coins, exactly: W+ is the sum of the positive ones.
// `doubled_ranks` are twice the ranks, so that those of ties (halves) are whole.
class SignedRankDistribution {
 public:
  explicit SignedRankDistribution(std::span<const std::size_t> doubled_ranks);
  explicit SignedRankDistribution(std::size_t n);  // ranks 1 to n: no ties

  double at_most(std::size_t doubled_sum) const;
  double at_least(std::size_t doubled_sum) const;

 private:
  std::vector<double> cumulative_;  // by doubled sum
};

// The test that the location is `shift`. Exact, over the ranks as they are (ties get their mean
// rank) up to 100 values; above, the normal approximation with ties and continuity corrected.
// Values equal to `shift` say nothing and are left out, as Wilcoxon did. Nothing of no values; 1
// when all equal `shift`.
std::optional<double> signed_rank_p(std::span<const double> values, double shift, Side side);

// The interval that the test inverts to, from the ordered averages: it covers the location with at
// least `confidence` (with ties, more). Nothing when no interval of so few values does: 95 %
// takes 6.
std::optional<Interval> signed_rank_interval(std::span<const double> values, double confidence);

// How many values an interval of `confidence` takes.
std::size_t needed_for_interval(double confidence);

}  // namespace tare::analysis
