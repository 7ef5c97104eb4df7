// The rounds of a plan and the order of arms in each. Pure; the same plan gives the same rounds.
//
// Orders are rows of a Williams design (E. J. Williams, "Experimental designs balanced for the
// estimation of residual effects of treatments", 1949): every arm comes right before every other
// equally often, and stands in each place equally often, so that neither what an arm leaves behind
// nor its place favours one of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/plan.h"
#include "harness/records.h"

namespace tare::harness {

// A small seeded generator (SplitMix64), so that an order is the same on every system.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  // From 0 to `count` - 1, each as likely.
  std::uint64_t below(std::uint64_t count);

  template <typename T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::uint64_t state_;
};

// The rows for `count` items, numbered from 0: `count` rows when it is even, twice as many when it
// is odd; one row for 1.
std::vector<std::vector<int>> williams_rows(int count);

struct PlannedRound {
  Design design{};
  int block = 0;
  std::vector<std::string> order;
};

// Every round of the plan, in order. In a sliced plan the isolated rounds are spread evenly over
// the sliced ones, and each block of a sliced round is a round of its own.
std::vector<PlannedRound> rounds_of(const Plan& plan);

// The order in which a slice group visits `arms` arms: places in the round's order. A pure function
// of its arguments.
std::vector<int> slice_order(std::uint64_t seed, int round, int group, int slice, int arms);

}  // namespace tare::harness
