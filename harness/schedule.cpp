#include "harness/schedule.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace tare::harness {
namespace {

// Rows for some arms, one after the other: all rows of the design in random order, then all of them
// in another.
class Orders {
 public:
  Orders(std::vector<std::string> arms, std::uint64_t seed)
      : arms_(std::move(arms)), random_(seed) {
    random_.shuffle(arms_);
  }

  std::vector<std::string> next() {
    if (rows_.empty()) {
      rows_ = williams_rows(static_cast<int>(arms_.size()));
      random_.shuffle(rows_);
    }
    std::vector<std::string> order;
    for (const int place : rows_.back()) order.push_back(arms_[static_cast<std::size_t>(place)]);
    rows_.pop_back();
    return order;
  }

 private:
  std::vector<std::string> arms_;
  Random random_;
  std::vector<std::vector<int>> rows_;
};

std::vector<PlannedRound> sliced_rounds(const Plan& plan) {
  Random seeds(plan.seed);
  std::vector<Orders> blocks;
  for (auto& arms : blocks_of(plan)) blocks.emplace_back(std::move(arms), seeds.next());
  Orders isolated(arms_and_twin(plan), seeds.next());
  std::vector<PlannedRound> rounds;
  for (int round = 1; round <= plan.rounds; ++round) {
    for (std::size_t block = 0; block < blocks.size(); ++block) {
      rounds.push_back({Design::sliced, static_cast<int>(block), blocks[block].next()});
    }
    const auto due = [&](int done) {
      return std::int64_t{done} * plan.slicing.isolated_rounds / plan.rounds;
    };
    for (auto i = due(round - 1); i < due(round); ++i) {
      rounds.push_back({Design::isolated, 0, isolated.next()});
    }
  }
  return rounds;
}

}  // namespace

std::uint64_t Random::next() {
  state_ += 0x9E3779B97F4A7C15u;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

std::uint64_t Random::below(std::uint64_t count) {
  // Values of an incomplete last span would favour the small remainders.
  const std::uint64_t limit =
      std::numeric_limits<std::uint64_t>::max() - std::numeric_limits<std::uint64_t>::max() % count;
  std::uint64_t value = next();
  while (value >= limit) value = next();
  return value % count;
}

std::vector<std::vector<int>> williams_rows(int count) {
  std::vector<int> first;  // 0, 1, n - 1, 2, n - 2, ...: each difference once
  for (int i = 0; i < count; ++i)
    first.push_back(i % 2 == 1 ? (i + 1) / 2 : (count - i / 2) % count);
  std::vector<std::vector<int>> rows;
  for (int shift = 0; shift < count; ++shift) {
    std::vector<int> row = first;
    for (int& item : row) item = (item + shift) % count;
    rows.push_back(row);
    if (count % 2 == 0 || count == 1) continue;
    std::ranges::reverse(row);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<PlannedRound> rounds_of(const Plan& plan) {
  if (plan.protocol == Protocol::sliced) return sliced_rounds(plan);
  std::vector<PlannedRound> rounds;
  for (int round = 1; round <= plan.rounds; ++round) {
    rounds.push_back({Design::published, 0, arms_of_round(plan, round)});
  }
  return rounds;
}

std::vector<int> slice_order(std::uint64_t seed, int round, int group, int slice, int arms) {
  for (const int part : {round, group, slice}) {
    seed = Random(seed ^ static_cast<std::uint64_t>(part)).next();
  }
  std::vector<int> order(static_cast<std::size_t>(arms));
  std::iota(order.begin(), order.end(), 0);
  Random(seed).shuffle(order);
  return order;
}

}  // namespace tare::harness
