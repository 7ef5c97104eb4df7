#include "analysis/effect.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/normal.h"
#include "analysis/signed_rank.h"
#include "analysis/statistics.h"

namespace tare::analysis {
namespace {

bool disagrees(std::optional<double> other, const Interval& interval) {
  if (!other) return false;
  if (!interval.contains(*other)) return true;
  return !interval.contains(0) && (*other > 0) != (interval.low > 0);
}

std::optional<double> log_ratio_of_totals(std::span<const RoundPair> rounds) {
  double subject = 0;
  double reference = 0;
  for (const auto& round : rounds) {
    subject += round.subject;
    reference += round.reference;
  }
  return log_ratio(subject, reference);
}

}  // namespace

std::optional<double> log_ratio(std::optional<double> a, std::optional<double> b) {
  if (!a || !b || !(*a > 0) || !(*b > 0)) return std::nullopt;
  return std::log(*a / *b);
}

double share_of_log(double log_value) {
  return std::expm1(log_value);
}

std::optional<double> round_ratio(std::span<const double> slice_groups) {
  return hodges_lehmann(slice_groups);
}

std::optional<Interval> student_interval(std::span<const double> values, double confidence) {
  const auto average = mean(values);
  if (!average || values.size() < 2) return std::nullopt;
  const double centre = *average;
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  const auto n = static_cast<double>(values.size());
  const double error = std::sqrt(squares / (n - 1) / n);
  const double reach = student_quantile((1 + confidence) / 2, values.size() - 1) * error;
  return Interval{centre - reach, centre + reach};
}

Effect effect_of(std::span<const RoundPair> rounds) {
  std::vector<double> ratios;
  for (const auto& round : rounds) ratios.push_back(round.log_ratio);
  Effect effect;
  effect.n = ratios.size();
  effect.estimate = hodges_lehmann(ratios);
  effect.within95 = signed_rank_interval(ratios, 0.95);
  effect.within90 = signed_rank_interval(ratios, 0.90);
  effect.geometric = mean(ratios);
  effect.student = student_interval(ratios, 0.95);
  effect.totals = log_ratio_of_totals(rounds);
  if (effect.within95) {
    effect.tail_driven =
        disagrees(effect.geometric, *effect.within95) || disagrees(effect.totals, *effect.within95);
  }
  return effect;
}

std::optional<double> beyond_margin_p(std::span<const double> log_ratios, double margin) {
  const auto below = signed_rank_p(log_ratios, -margin, Side::less);
  const auto above = signed_rank_p(log_ratios, margin, Side::greater);
  if (!below || !above) return std::nullopt;
  return std::min(1.0, 2 * std::min(*below, *above));
}

}  // namespace tare::analysis
