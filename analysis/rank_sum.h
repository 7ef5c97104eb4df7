// Two sets of values that are not paired: the shift between them. Used where two runs are compared,
// and first against last of one start. Pure functions.
//
// Sources: Mann and Whitney, "On a Test of Whether one of Two Random Variables is Stochastically
// Larger than the Other", Annals of Mathematical Statistics 18 (1947); Hollander, Wolfe and
// Chicken, "Nonparametric Statistical Methods", 3rd edition (2014), sections 4.1 to 4.3.
#pragma once

#include <optional>
#include <span>

#include "analysis/ranks.h"

namespace tare::analysis {

// The median of all b - a: Hodges-Lehmann's estimate of how far b lies above a. Nothing when either
// is empty.
std::optional<double> median_shift(std::span<const double> a, std::span<const double> b);

// The test that b lies `shift` above a; Side::greater: that it lies further above. Exact over the
// ranks as they are (ties get their mean rank) up to 60 values in all; above, the normal
// approximation with ties and continuity corrected. Nothing when either is empty; 1 when all are
// equal.
std::optional<double> rank_sum_p(std::span<const double> a, std::span<const double> b, double shift,
                                 Side side);

// The interval that the test inverts to, from the ordered differences. Nothing when no interval of
// so few values has this confidence: 95 % takes 4 and 4.
std::optional<Interval> shift_interval(std::span<const double> a, std::span<const double> b,
                                       double confidence);

}  // namespace tare::analysis
