// The statistics against an independent package's values: tests/golden/statistics.json, made by
// tests/cross/statistics_reference.R.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/effect.h"
#include "analysis/multiplicity.h"
#include "analysis/normal.h"
#include "analysis/rank_sum.h"
#include "analysis/signed_rank.h"
#include "common/files.h"

using namespace tare::analysis;
using nlohmann::json;

namespace {

using Values = std::vector<double>;

const json& reference() {
  static const json root =
      json::parse(tare::read_file(TARE_SOURCE_DIR "/tests/golden/statistics.json").value());
  return root;
}

Side side_of(const std::string& name) {
  if (name == "less") return Side::less;
  return name == "greater" ? Side::greater : Side::two_sided;
}

auto close(double value) {
  return Approx(value).epsilon(1e-9).margin(1e-12);
}

}  // namespace

TEST_CASE("signed-rank p-values and estimates are the reference's") {
  for (const auto& one : reference()["signed_rank"]) {
    INFO(one["name"]);
    const auto values = one["values"].get<Values>();
    CHECK(*hodges_lehmann(values) == close(one["hodges_lehmann"].get<double>()));
    const auto student = student_interval(values, 0.95);
    const auto expected = one["student95"].get<Values>();
    if (one["name"] != "all equal") {
      CHECK(student->low == close(expected[0]));
      CHECK(student->high == close(expected[1]));
    }
    for (const auto& [side, shifts] : one["p"].items()) {
      for (const auto& [shift, p] : shifts.items()) {
        INFO(side << " of " << shift);
        CHECK(*signed_rank_p(values, std::stod(shift), side_of(side)) == close(p.get<double>()));
      }
    }
  }
  const auto& large = reference()["signed_rank_large"];
  CHECK(*signed_rank_p(large["values"].get<Values>(), 0, Side::two_sided) ==
        close(large["p"].get<double>()));
}

TEST_CASE("signed-rank intervals are what the reference's test does not reject") {
  for (const auto& one : reference()["intervals"]) {
    INFO(one["name"] << " at " << one["confidence"]);
    const auto interval =
        signed_rank_interval(one["values"].get<Values>(), one["confidence"].get<double>());
    const auto expected = one["interval"].get<Values>();
    CHECK(interval->low == close(expected[0]));
    CHECK(interval->high == close(expected[1]));
  }
}

TEST_CASE("rank-sum p-values and shifts are the reference's") {
  for (const auto& one : reference()["rank_sum"]) {
    INFO(one["name"]);
    const auto a = one["a"].get<Values>();
    const auto b = one["b"].get<Values>();
    CHECK(*median_shift(a, b) == close(one["shift"].get<double>()));
    for (const auto& [side, p] : one["p"].items()) {
      CHECK(*rank_sum_p(a, b, 0, side_of(side)) == close(p.get<double>()));
    }
    if (one["interval"].is_null()) continue;
    const auto interval = shift_interval(a, b, 0.95);
    const auto expected = one["interval"].get<Values>();
    CHECK(interval->low == close(expected[0]));
    CHECK(interval->high == close(expected[1]));
  }
  const auto& large = reference()["rank_sum_large"];
  CHECK(*rank_sum_p(large["a"].get<Values>(), large["b"].get<Values>(), 0, Side::two_sided) ==
        close(large["p"].get<double>()));
}

TEST_CASE("distributions and adjusted p-values are the reference's") {
  for (const auto& one : reference()["student_quantiles"]) {
    CHECK(student_quantile(one["p"], one["freedom"]) == Approx(one["t"].get<double>()));
  }
  for (const auto& one : reference()["student_below"]) {
    CHECK(student_below(one["t"], one["freedom"]) == close(one["p"].get<double>()));
  }
  for (const auto& one : reference()["normal_quantiles"]) {
    CHECK(normal_quantile(one["p"]) == close(one["z"].get<double>()));
  }
  const auto adjusted = holm(reference()["holm"]["p"].get<Values>());
  const auto expected = reference()["holm"]["adjusted"].get<Values>();
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(adjusted[i] == close(expected[i]));
}
