// Plain descriptions of a set of numbers. Pure functions; nothing is ever dropped from a set. Each
// returns nothing where the figure would mean nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace tare::analysis {

// The arithmetic mean; nothing of no values.
std::optional<double> mean(std::span<const double> values);

// The quantile `p` in [0, 1], linear between order statistics: type 7 of Hyndman and Fan, "Sample
// Quantiles in Statistical Packages", The American Statistician 50 (1996).
std::optional<double> quantile(std::span<const double> values, double p);

std::optional<double> median(std::span<const double> values);

// The quantile `p` above the median, only where at least ten values are expected beyond it:
// n (1 - p) >= 10. With fewer it is a reading of one or two requests.
std::optional<double> tail_quantile(std::span<const double> values, double p);
// How many values tail_quantile needs.
std::size_t needed_for_tail(double p);

std::optional<double> largest(std::span<const double> values);

// a / b; nothing when either is missing or b is not above 0.
std::optional<double> ratio(std::optional<double> a, std::optional<double> b);

}  // namespace tare::analysis
