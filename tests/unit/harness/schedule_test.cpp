#include "harness/schedule.h"

#include <catch2/catch.hpp>
#include <map>
#include <set>

using namespace tare::harness;

namespace {

// How often each item comes right before each other, and stands in each place.
struct Counts {
  std::map<std::pair<int, int>, int> before;
  std::map<std::pair<int, int>, int> places;

  explicit Counts(const std::vector<std::vector<int>>& rows) {
    for (const auto& row : rows) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        ++places[{row[i], static_cast<int>(i)}];
        if (i > 0) ++before[{row[i - 1], row[i]}];
      }
    }
  }
};

Plan sliced(std::vector<std::string> arms, int rounds, int isolated) {
  Plan plan;
  plan.protocol = Protocol::sliced;
  plan.arms = std::move(arms);
  plan.rounds = rounds;
  plan.slicing.isolated_rounds = isolated;
  return plan;
}

}  // namespace

TEST_CASE("rows of a Williams design: every item right before every other equally often") {
  for (int n = 2; n <= 10; ++n) {
    CAPTURE(n);
    const auto rows = williams_rows(n);
    CHECK(rows.size() == static_cast<std::size_t>(n % 2 == 0 ? n : 2 * n));
    for (const auto& row : rows) CHECK(std::set(row.begin(), row.end()).size() == rows[0].size());
    const Counts counts(rows);
    const int each = n % 2 == 0 ? 1 : 2;
    CHECK(counts.before.size() == static_cast<std::size_t>(n * (n - 1)));
    for (const auto& [pair, count] : counts.before) CHECK(count == each);
    CHECK(counts.places.size() == static_cast<std::size_t>(n * n));
    for (const auto& [place, count] : counts.places) CHECK(count == each);
  }
  CHECK(williams_rows(1) == std::vector<std::vector<int>>{{0}});
}

TEST_CASE("a plan whose rounds are a multiple of the design's rows is balanced as a whole") {
  for (const std::size_t arms : {2u, 3u, 5u, 6u}) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < arms; ++i) names.push_back("arm" + std::to_string(i));
    const int period = static_cast<int>(williams_rows(static_cast<int>(arms)).size());
    std::vector<std::vector<int>> rows;
    for (const auto& round : rounds_of(sliced(names, 2 * period, 0))) {
      CHECK(round.design == Design::sliced);
      rows.emplace_back();
      for (const auto& name : round.order) rows.back().push_back(name.back() - '0');
    }
    const Counts counts(rows);
    std::set<int> distinct;
    for (const auto& [pair, count] : counts.before) distinct.insert(count);
    CHECK(counts.before.size() == arms * (arms - 1));
    CHECK(distinct.size() == 1);
  }
}

TEST_CASE("the seed decides the orders, and nothing else does") {
  auto plan = sliced({"a", "b", "c", "d", "e", "f"}, 6, 2);
  const auto orders = [&] {
    std::vector<std::vector<std::string>> all;
    for (const auto& round : rounds_of(plan)) all.push_back(round.order);
    return all;
  };
  const auto first = orders();
  CHECK(orders() == first);
  plan.seed = 2;
  CHECK(orders() != first);
}

TEST_CASE("isolated rounds hold every arm and the twin, and are spread over the run") {
  auto plan = sliced({"direct", "control", "a"}, 12, 3);
  plan.slicing.twin_of = "control";
  std::vector<std::size_t> places;
  const auto rounds = rounds_of(plan);
  REQUIRE(rounds.size() == 15);
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    CHECK(std::set(rounds[i].order.begin(), rounds[i].order.end()) ==
          std::set<std::string>{"direct", "control", "a", "control-twin"});
    if (rounds[i].design == Design::isolated) places.push_back(i);
  }
  CHECK(places == std::vector<std::size_t>{4, 9, 14});
}

TEST_CASE("each block of a sliced round is a round of its own") {
  auto plan = sliced({"direct", "control", "a", "b", "c", "d", "e"}, 2, 1);
  plan.slicing.twin_of = "control";
  const auto rounds = rounds_of(plan);
  std::vector<int> blocks;
  for (const auto& round : rounds) blocks.push_back(round.block);
  CHECK(blocks == std::vector<int>{0, 1, 0, 1, 0});
  CHECK(rounds[0].order.size() == 6);
  CHECK(rounds[1].order.size() == 5);
  CHECK(rounds[4].order.size() == 8);
}

TEST_CASE("the published protocol rotates") {
  Plan plan;
  plan.rounds = 2;
  plan.arms = {"a", "b", "c"};
  plan.rotate = 2;
  const auto rounds = rounds_of(plan);
  REQUIRE(rounds.size() == 2);
  CHECK(rounds[1].design == Design::published);
  CHECK(rounds[1].order == std::vector<std::string>{"b", "a", "c"});
}

TEST_CASE("slice groups visit every arm once, in orders that differ and are even") {
  std::map<std::pair<int, int>, int> places;
  for (int slice = 0; slice < 3000; ++slice) {
    const auto order = slice_order(1, 4, 2, slice, 3);
    CHECK(std::set(order.begin(), order.end()) == std::set{0, 1, 2});
    CHECK(order == slice_order(1, 4, 2, slice, 3));
    for (int i = 0; i < 3; ++i) ++places[{i, order[static_cast<std::size_t>(i)]}];
  }
  // 1,000 expected, standard deviation 26.
  for (const auto& [place, count] : places) CHECK(std::abs(count - 1000) < 130);
}
