// The normal distribution and Student's t. Pure.
#pragma once

#include <cstddef>

namespace tare::analysis {

// P(Z <= z).
double normal_below(double z);
// The z with P(Z <= z) = p, for p in (0, 1).
double normal_quantile(double p);

// P(T <= t) with whole `freedom` >= 1, by the finite series of Abramowitz and Stegun, "Handbook of
// Mathematical Functions" (1964), 26.7.3 and 26.7.4.
double student_below(double t, std::size_t freedom);
// The t with P(T <= t) = p, for p in (0, 1).
double student_quantile(double p, std::size_t freedom);

}  // namespace tare::analysis
