// One comparison: how much more or less of something an arm takes than another, from one value a
// round. Everything is a log ratio; percent_of_log() says it in words. Pure functions.
//
// The unit of inference is the round (one fresh start of each arm); what is inside a round is
// summarised first (round_ratio), never pooled.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/ranks.h"

namespace tare::analysis {

// log(a / b). Nothing when either is missing or not above 0: there is no ratio then.
std::optional<double> log_ratio(std::optional<double> a, std::optional<double> b);
// exp(x) - 1: a log ratio as a share, 0.02 for 2 % more.
double share_of_log(double log_value);

// A round's log ratio from those of its slice groups: their Hodges-Lehmann estimate. Nothing of
// none.
std::optional<double> round_ratio(std::span<const double> slice_groups);

// What was measured of an arm and its reference in one round.
struct RoundPair {
  int round = 0;
  double log_ratio = 0;
  double subject = 0;  // the totals' terms: the same unit for both, above 0
  double reference = 0;
};

// Absent where so few rounds cannot carry it.
struct Effect {
  std::size_t n = 0;                 // rounds
  std::optional<double> estimate;    // Hodges-Lehmann over rounds
  std::optional<Interval> within95;  // of the signed-rank test
  std::optional<Interval> within90;  // for equivalence
  std::optional<double> geometric;   // the mean of the logs
  std::optional<Interval> student;   // its 95 % t interval
  std::optional<double> totals;      // log(sum of subject / sum of reference)
  bool tail_driven = false;
};

// Each estimate beside the others. tail_driven: the geometric mean or the ratio of totals lies
// outside the signed-rank interval, or has the other sign where that interval excludes 0: then few
// large values say something else than most do.
Effect effect_of(std::span<const RoundPair> rounds);

// The t interval of the mean. Nothing of fewer than two values. Student, "The Probable Error of a
// Mean", Biometrika 6 (1908).
std::optional<Interval> student_interval(std::span<const double> values, double confidence);

// The p-value of the shift against a margin (a log ratio, 0 or above), two-sided: small when the
// location lies beyond the margin on either side. The minimum-effect test of Murphy and Myors,
// "Testing the Hypothesis That Treatments Have Negligible Effects", Journal of Applied Psychology
// 84 (1999), with Wilcoxon's signed-rank test on each side. Nothing of no values.
std::optional<double> beyond_margin_p(std::span<const double> log_ratios, double margin);

}  // namespace tare::analysis
