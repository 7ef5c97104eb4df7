// The statistics on 2,000 made data sets a kind: an A/A comparison, whose true ratio is known.
//
// A data set has `n` rounds; each round two starts that differ by 3 % of their own accord and 20
// slice groups of both arms. Kinds of noise: normal; spiky, where one slice in twenty takes three
// times as long; t3, heavy tails; drift, where the machine slows down by a third over the round and
// by a tenth over the rounds, for both arms alike.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "analysis/effect.h"
#include "analysis/multiplicity.h"
#include "analysis/signed_rank.h"

using namespace tare::analysis;

namespace {

constexpr int data_sets = 2000;
constexpr int slice_groups = 20;
constexpr int family = 12;  // tests of one experiment

class Machine {
 public:
  Machine(std::string kind, unsigned seed) : kind_(std::move(kind)), random_(seed) {}

  // The log ratios of an experiment's rounds, of two copies of one arm.
  std::vector<double> experiment(int rounds) {
    std::vector<double> ratios;
    for (int round = 0; round < rounds; ++round) ratios.push_back(one_round(round, rounds));
    return ratios;
  }

 private:
  double one_round(int round, int rounds) {
    const double start_a = 0.03 * normal_(random_);
    const double start_b = 0.03 * normal_(random_);
    std::vector<double> slices;
    for (int slice = 0; slice < slice_groups; ++slice) {
      const double drift = kind_ == "drift" ? 0.3 * slice / slice_groups + 0.1 * round / rounds : 0;
      slices.push_back((start_a + drift + noise()) - (start_b + drift + noise()));
    }
    return *round_ratio(slices);
  }

  double noise() {
    if (kind_ == "t3") return 0.05 * t3_(random_);
    const double spike = kind_ == "spiky" && uniform_(random_) < 0.05 ? std::log(3.0) : 0;
    return 0.05 * normal_(random_) + spike;
  }

  std::string kind_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::student_t_distribution<double> t3_{3};
  std::uniform_real_distribution<double> uniform_;
};

struct Rates {
  double coverage = 0;
  double false_positives = 0;
  double family_wise = 0;
};

Rates rates_of(const std::string& kind, int rounds) {
  Machine machine(kind, 20261130U + static_cast<unsigned>(rounds));
  int covered = 0;
  int rejected = 0;
  int families = 0;
  int families_rejected = 0;
  std::vector<double> p_values;
  for (int i = 0; i < data_sets; ++i) {
    const auto ratios = machine.experiment(rounds);
    if (signed_rank_interval(ratios, 0.95)->contains(0)) ++covered;
    p_values.push_back(*beyond_margin_p(ratios, 0));
    if (p_values.back() <= 0.05) ++rejected;
    if (p_values.size() < family) continue;
    const auto adjusted = holm(p_values);
    ++families;
    if (*std::min_element(adjusted.begin(), adjusted.end()) <= 0.05) ++families_rejected;
    p_values.clear();
  }
  return {100.0 * covered / data_sets, 100.0 * rejected / data_sets,
          100.0 * families_rejected / families};
}

}  // namespace

TEST_CASE("on made data sets intervals cover and false alarms are as rare as they claim") {
  for (const std::string kind : {"normal", "spiky", "t3", "drift"}) {
    for (const int rounds : {12, 24}) {
      const Rates rates = rates_of(kind, rounds);
      CAPTURE(kind, rounds, rates.coverage, rates.false_positives, rates.family_wise);
      CHECK(rates.coverage >= 93);
      CHECK(rates.coverage <= 97);
      CHECK(rates.false_positives >= 3.5);
      CHECK(rates.false_positives <= 6.5);
      CHECK(rates.family_wise <= 6.5);
    }
  }
}
