#include "analysis/json_sliced.h"

#include <cmath>

namespace tare::analysis {
namespace {

using json = nlohmann::ordered_json;

json ratio_json(std::optional<double> log_value) {
  return log_value ? json(std::exp(*log_value)) : json(nullptr);
}

json interval_json(const std::optional<Interval>& interval) {
  if (!interval) return nullptr;
  return {std::exp(interval->low), std::exp(interval->high)};
}

template <typename T>
json or_null(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

json effect_json(const Effect& effect) {
  return {{"n", effect.n},
          {"ratio", ratio_json(effect.estimate)},
          {"interval_95", interval_json(effect.within95)},
          {"interval_90", interval_json(effect.within90)},
          {"geometric_mean", ratio_json(effect.geometric)},
          {"t_interval_95", interval_json(effect.student)},
          {"ratio_of_totals", ratio_json(effect.totals)},
          {"tail_driven", effect.tail_driven}};
}

json rounds_json(const std::vector<RoundPair>& rounds) {
  json all = json::array();
  for (const auto& round : rounds) {
    all.push_back({{"round", round.round},
                   {"ratio", std::exp(round.log_ratio)},
                   {"subject", round.subject},
                   {"reference", round.reference}});
  }
  return all;
}

json versus_json(const Versus& versus) {
  const Judged& judged = versus.judged;
  return {{"metric", key_of(versus.metric)},
          {"task", versus.task},
          {"mode", versus.mode},
          {"reference", versus.reference},
          {"subject_value", or_null(versus.subject_value)},
          {"reference_value", or_null(versus.reference_value)},
          {"verdict", name_of(judged.verdict)},
          {"because", judged.because},
          {"through", versus.through},
          {"not_same_work", versus.not_same_work},
          {"effect", effect_json(judged.effect)},
          {"bonferroni_interval", interval_json(judged.bonferroni)},
          {"margin", judged.margin},
          {"p", or_null(judged.p)},
          {"p_holm", or_null(judged.p_holm)},
          {"resolution", ratio_json(judged.resolution)},
          {"smallest_effect", ratio_json(judged.smallest)},
          {"rounds", rounds_json(versus.rounds)},
          {"isolated", effect_json(versus.isolated)},
          {"isolated_rounds", rounds_json(versus.isolated_rounds)}};
}

}  // namespace

json sliced_json(const SlicedResults& sliced) {
  json versus = json::array();
  for (const auto& one : sliced.versus) versus.push_back(versus_json(one));
  json twins = json::array();
  for (const auto& twin : sliced.twins) {
    twins.push_back({{"metric", key_of(twin.metric)},
                     {"task", twin.task},
                     {"mode", twin.mode},
                     {"effect", effect_json(twin.effect)},
                     {"resolution", ratio_json(twin.resolution)}});
  }
  json trends = json::array();
  for (const auto& one : sliced.trends) {
    trends.push_back({{"arm", one.arm},
                      {"flat", one.flat},
                      {"warming", one.warming},
                      {"slowing", one.slowing},
                      {"cannot_be_told", one.cannot_be_told},
                      {"no_steady_state", one.no_steady_state()}});
  }
  json quiet = json::array();
  for (const auto& one : sliced.quiet) {
    quiet.push_back({{"arm", one.arm},
                     {"idle_us_per_s", or_null(one.idle_us_per_s)},
                     {"deferred_us_per_request", or_null(one.deferred_us_per_request)},
                     {"deferred_share", or_null(one.deferred_share)}});
  }
  json rounds = json::array();
  for (const auto& round : sliced.rounds) {
    rounds.push_back({{"round", round.round},
                      {"line", round.line},
                      {"attempt", round.attempt},
                      {"replaces", or_null(round.replaces)},
                      {"discarded", or_null(round.discarded)}});
  }
  return {
      {"subject", sliced.subject},
      {"references", sliced.references},
      {"twin", sliced.twin},
      {"twin_of", sliced.twin_of},
      {"family", sliced.family},
      {"rounds_that_count", {{"sliced", sliced.gates.sliced}, {"isolated", sliced.gates.isolated}}},
      {"rounds_discarded", sliced.gates.discarded},
      {"rounds", rounds},
      {"versus", versus},
      {"twins", twins},
      {"trends", trends},
      {"quiet", quiet}};
}

}  // namespace tare::analysis
