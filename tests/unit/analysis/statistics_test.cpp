#include "analysis/statistics.h"

#include <catch2/catch.hpp>
#include <vector>

using namespace tare::analysis;

TEST_CASE("a quantile lies between order statistics as type 7 says") {
  const std::vector<double> values{4, 1, 3, 2};
  CHECK(quantile(values, 0) == Approx(1));
  CHECK(quantile(values, 0.25) == Approx(1.75));
  CHECK(median(values) == Approx(2.5));
  CHECK(quantile(values, 1) == Approx(4));
  CHECK(quantile(std::vector<double>{7}, 0.9) == Approx(7));
}

TEST_CASE("of no values there is no figure") {
  const std::vector<double> none;
  CHECK_FALSE(mean(none));
  CHECK_FALSE(median(none));
  CHECK_FALSE(largest(none));
  CHECK_FALSE(tail_quantile(none, 0.95));
}

TEST_CASE("a tail percentile needs ten values expected beyond it") {
  CHECK(needed_for_tail(0.90) == 100);
  CHECK(needed_for_tail(0.95) == 200);
  CHECK(needed_for_tail(0.99) == 1000);
  CHECK_FALSE(tail_quantile(std::vector<double>(199, 1.0), 0.95));
  CHECK(tail_quantile(std::vector<double>(200, 1.0), 0.95) == Approx(1));
}

TEST_CASE("a ratio needs both figures and a divisor above 0") {
  CHECK(ratio(1.0, 4.0) == Approx(0.25));
  CHECK_FALSE(ratio(std::nullopt, 4.0));
  CHECK_FALSE(ratio(1.0, std::nullopt));
  CHECK_FALSE(ratio(1.0, 0.0));
}
