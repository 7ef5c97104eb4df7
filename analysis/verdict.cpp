#include "analysis/verdict.h"

#include <fmt/format.h>

#include <cmath>

#include "analysis/multiplicity.h"
#include "analysis/signed_rank.h"

namespace tare::analysis {
namespace {

constexpr double level = 0.05;

std::vector<double> log_ratios(const Contender& contender) {
  std::vector<double> ratios;
  for (const auto& round : contender.rounds) ratios.push_back(round.log_ratio);
  return ratios;
}

bool carries(const Contender& contender) {
  return contender.rounds.size() >= fewest_rounds_for_verdict;
}

// An effect beyond the margin by the family's interval would have been called, had it also been
// beyond what the twin shows of its own accord.
std::optional<double> smallest_effect(const Judged& one) {
  const auto& interval = one.bonferroni;
  if (!interval) return std::nullopt;
  const double seen = std::log1p(one.margin) + interval->half_width();
  return std::max(seen, one.resolution.value_or(0.0));
}

void decide(Judged& one) {
  const Effect& effect = one.effect;
  if (!effect.estimate) return;
  const double estimate = *effect.estimate;
  const double bound = std::log1p(one.margin);
  const bool beyond = one.p_holm && *one.p_holm <= level;
  const auto& within = effect.within95;
  const bool differs = within && !within->contains(0);
  one.verdict = Verdict::inconclusive;
  if (effect.tail_driven) {
    one.because = "tail-driven: the means of the same rounds say something else";
  } else if (beyond && one.resolution && std::abs(estimate) <= *one.resolution) {
    one.because = "below what the twin differs from its own";
  } else if (beyond) {
    one.verdict = estimate < 0 ? Verdict::better : Verdict::worse;
  } else if (effect.within90 && effect.within90->inside(bound)) {
    one.verdict = differs ? Verdict::different_but_small : Verdict::equivalent;
  } else if (differs) {
    one.because = "it differs; whether by more than the margin cannot be told";
  }
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::better:
      return "better";
    case Verdict::worse:
      return "worse";
    case Verdict::equivalent:
      return "equivalent";
    case Verdict::different_but_small:
      return "different but small";
    case Verdict::inconclusive:
      return "inconclusive";
    case Verdict::none:
      return "none";
  }
  return "";
}

std::vector<Judged> judge(std::span<const Contender> family) {
  std::vector<Judged> judged;
  std::vector<double> p_values;
  for (const auto& contender : family) {
    Judged one;
    one.effect = effect_of(contender.rounds);
    one.margin = contender.margin;
    one.resolution = contender.resolution;
    if (carries(contender)) {
      one.p = beyond_margin_p(log_ratios(contender), std::log1p(one.margin));
      p_values.push_back(one.p.value_or(1));
    } else {
      one.because = fmt::format("{} rounds; a verdict takes {}", contender.rounds.size(),
                                fewest_rounds_for_verdict);
    }
    judged.push_back(std::move(one));
  }
  const auto adjusted = holm(p_values);
  const double confidence = bonferroni_confidence(0.95, p_values.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < family.size(); ++i) {
    if (!carries(family[i])) continue;
    Judged& one = judged[i];
    one.p_holm = adjusted[next++];
    one.bonferroni = signed_rank_interval(log_ratios(family[i]), confidence);
    one.smallest = smallest_effect(one);
    decide(one);
  }
  return judged;
}

}  // namespace tare::analysis
