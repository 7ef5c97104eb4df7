// The statistics where there is little or nothing to say, and what verdicts say of made effects.
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "analysis/effect.h"
#include "analysis/multiplicity.h"
#include "analysis/rank_sum.h"
#include "analysis/signed_rank.h"
#include "analysis/trend.h"
#include "analysis/verdict.h"

using namespace tare::analysis;

namespace {

using Values = std::vector<double>;
const Values nothing;

// `n` rounds around `centre`, evenly spread over +-`spread`.
Contender contender(std::size_t n, double centre, double spread, double margin = 0.05) {
  Contender one;
  one.margin = margin;
  for (std::size_t i = 0; i < n; ++i) {
    const double place = 2 * static_cast<double>(i) / static_cast<double>(n - 1) - 1;
    const double ratio = centre + spread * place * (1 + 0.01 * static_cast<double>(i % 3));
    one.rounds.push_back({static_cast<int>(i) + 1, ratio, std::exp(ratio), 1});
  }
  return one;
}

Judged judged(const Contender& one) {
  return judge(std::vector<Contender>{one}).front();
}

}  // namespace

TEST_CASE("nothing is said of no values, and of one only what it is") {
  CHECK_FALSE(hodges_lehmann(nothing));
  CHECK_FALSE(signed_rank_p(nothing, 0, Side::two_sided));
  CHECK_FALSE(signed_rank_interval(nothing, 0.95));
  CHECK_FALSE(student_interval(nothing, 0.95));
  CHECK_FALSE(beyond_margin_p(nothing, 0.05));
  CHECK_FALSE(median_shift(nothing, Values{1}));
  CHECK_FALSE(rank_sum_p(Values{1}, nothing, 0, Side::less));
  CHECK_FALSE(shift_interval(nothing, nothing, 0.95));
  CHECK_FALSE(round_ratio(nothing));
  CHECK(holm(nothing).empty());
  CHECK(bonferroni_confidence(0.95, 0) == Approx(0.95));
  CHECK(judge({}).empty());
  CHECK(effect_of({}).n == 0);
  const Values one{0.1};
  CHECK(*hodges_lehmann(one) == Approx(0.1));
  CHECK(*signed_rank_p(one, 0, Side::two_sided) == Approx(1));
  CHECK_FALSE(signed_rank_interval(one, 0.95));
  CHECK_FALSE(student_interval(one, 0.95));
}

TEST_CASE("a ratio is of values above 0 only") {
  CHECK(*log_ratio(2.0, 1.0) == Approx(std::log(2)));
  CHECK_FALSE(log_ratio(0.0, 1.0));
  CHECK_FALSE(log_ratio(1.0, 0.0));
  CHECK_FALSE(log_ratio(-1.0, 1.0));
  CHECK_FALSE(log_ratio(std::nullopt, 1.0));
  CHECK(share_of_log(std::log(1.02)) == Approx(0.02));
}

TEST_CASE("values that all equal the shift say nothing against it") {
  const Values zeros(12, 0.0);
  CHECK(*signed_rank_p(zeros, 0, Side::two_sided) == Approx(1));
  CHECK(*signed_rank_p(zeros, 0, Side::less) == Approx(1));
  CHECK(*rank_sum_p(zeros, zeros, 0, Side::two_sided) == Approx(1));
  const auto interval = signed_rank_interval(zeros, 0.95);
  CHECK(interval->low == 0);
  CHECK(interval->high == 0);
  CHECK(*rank_sum_p(Values(50, 1.0), Values(50, 1.0), 0, Side::less) == Approx(1));
}

TEST_CASE("an interval needs enough values for its confidence") {
  CHECK(needed_for_interval(0.95) == 6);
  CHECK(needed_for_interval(0.90) == 5);
  CHECK_FALSE(signed_rank_interval(Values{1, 2, 3, 4, 5}, 0.95));
  const auto six = signed_rank_interval(Values{1, 2, 3, 4, 5, 6}, 0.95);
  CHECK(six->low == 1);
  CHECK(six->high == 6);
  CHECK_FALSE(shift_interval(Values{1, 2, 3}, Values{1, 2, 3}, 0.95));
  CHECK(shift_interval(Values{1, 2, 3, 4}, Values{1, 2, 3, 4}, 0.95).has_value());
}

TEST_CASE("the signed-rank distribution is that of the tables") {
  // Hollander, Wolfe and Chicken, table A.4: n = 12, P(W+ >= 65) = 0.021.
  const SignedRankDistribution distribution(12);
  CHECK(distribution.at_least(2 * 65) == Approx(0.0212).margin(0.00005));
  CHECK(distribution.at_most(2 * 13) == Approx(0.0212).margin(0.00005));
  CHECK(distribution.at_most(2 * 78) == Approx(1));
  CHECK(distribution.at_least(2 * 79) == 0);
  CHECK(SignedRankDistribution(0).at_most(0) == 1);
}

TEST_CASE("each verdict is given for the effect it is for") {
  CHECK(judged(contender(12, -0.30, 0.02)).verdict == Verdict::better);
  CHECK(judged(contender(12, 0.30, 0.02)).verdict == Verdict::worse);
  CHECK(judged(contender(12, 0.00, 0.02)).verdict == Verdict::equivalent);
  CHECK(judged(contender(12, 0.02, 0.01)).verdict == Verdict::different_but_small);
  CHECK(judged(contender(12, 0.00, 0.30)).verdict == Verdict::inconclusive);
  CHECK_THAT(judged(contender(12, 0.05, 0.03)).because, Catch::Contains("it differs"));
}

TEST_CASE("an inconclusive comparison says how small an effect it could have seen") {
  const auto one = judged(contender(12, 0.0, 0.30));
  REQUIRE(one.verdict == Verdict::inconclusive);
  CHECK(*one.smallest == Approx(std::log1p(0.05) + one.bonferroni->half_width()));
}

TEST_CASE("the twin's half-width restrains better and worse and widens nothing") {
  auto small = contender(12, -0.10, 0.02);
  CHECK(judged(small).verdict == Verdict::better);
  small.resolution = 0.12;
  CHECK(judged(small).verdict == Verdict::inconclusive);
  CHECK(*judged(small).smallest >= 0.12);
  auto wide = contender(12, 0.0, 0.2);
  wide.resolution = 0.5;
  CHECK(judged(wide).verdict == Verdict::inconclusive);
  auto even = contender(12, 0.0, 0.02);
  even.resolution = 0.5;
  CHECK(judged(even).verdict == Verdict::equivalent);
}

TEST_CASE("what few large rounds drive is inconclusive") {
  auto one = contender(12, -0.30, 0.02);
  one.rounds[0].subject = 50;
  const auto result = judged(one);
  CHECK(result.effect.tail_driven);
  CHECK(result.verdict == Verdict::inconclusive);
}

TEST_CASE("too few rounds carry no verdict") {
  const auto one = judged(contender(10, -0.5, 0.01));
  CHECK(one.verdict == Verdict::none);
  CHECK_THAT(one.because, Catch::Contains("takes 11"));
  CHECK(one.effect.estimate.has_value());
}

TEST_CASE("a family of many tests needs a smaller p of each") {
  std::vector<Contender> family(200, contender(12, 0.0, 0.5));
  family.push_back(contender(12, -0.30, 0.02));
  CHECK(judge(family).back().verdict == Verdict::inconclusive);
}

TEST_CASE("a start's trend is told from its first and last third") {
  Values flat;
  Values warming;
  for (int i = 0; i < 60; ++i) {
    const double ripple = 1 + 0.02 * (i % 5);
    flat.push_back(ripple);
    warming.push_back(ripple * (i < 20 ? 1.5 : 1.0));
  }
  CHECK(trend_of(flat) == Trend::flat);
  CHECK(trend_of(warming) == Trend::warming);
  CHECK(trend_of(Values(warming.rbegin(), warming.rend())) == Trend::slowing);
  CHECK(trend_of(Values(11, 1.0)) == Trend::cannot_be_told);
  CHECK(trend_of(Values(12, 0.0)) == Trend::cannot_be_told);
  CHECK(trend_of(Values(12, 1.0)) == Trend::flat);
}
