#include <catch2/catch.hpp>
#include <set>

#include "harness/plan.h"

using namespace tare::harness;
using Order = std::vector<std::string>;

namespace {

Plan plan_of(Order arms, int rotate) {
  Plan plan;
  plan.arms = std::move(arms);
  plan.rotate = rotate;
  return plan;
}

}  // namespace

TEST_CASE("the first arms rotate by one place a round, the others follow as a fixed block") {
  const auto plan = plan_of({"tare", "headroom", "control", "direct", "nginx"}, 3);
  CHECK(arms_of_round(plan, 1) == Order{"tare", "headroom", "control", "direct", "nginx"});
  CHECK(arms_of_round(plan, 2) == Order{"headroom", "control", "tare", "direct", "nginx"});
  CHECK(arms_of_round(plan, 3) == Order{"control", "tare", "headroom", "direct", "nginx"});
  CHECK(arms_of_round(plan, 4) == arms_of_round(plan, 1));
}

TEST_CASE("without rotation every round has the plan's order") {
  const auto plan = plan_of({"a", "b"}, 0);
  CHECK(arms_of_round(plan, 1) == plan.arms);
  CHECK(arms_of_round(plan, 5) == plan.arms);
}

TEST_CASE("each rotating arm stands once at each place in as many rounds") {
  const auto plan = plan_of({"a", "b", "c", "d"}, 4);
  for (std::size_t place = 0; place < 4; ++place) {
    std::set<std::string> seen;
    for (int round = 1; round <= 4; ++round) seen.insert(arms_of_round(plan, round)[place]);
    CHECK(seen.size() == 4);
  }
}
