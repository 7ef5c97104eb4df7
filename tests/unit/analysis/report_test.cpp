// Figures of a small run folder, computed by hand.
#include <catch2/catch.hpp>

#include "analysis/raw_reader.h"
#include "analysis/reporter.h"
#include "analysis/results.h"
#include "analysis/verify.h"
#include "tests/support/run_folder.h"

using Catch::Matchers::Contains;
using namespace tare::analysis;
using tare::test::RunFolder;

namespace {

Results results_of(const RunFolder& folder) {
  folder.write();
  const auto run = read_run(folder.path());
  REQUIRE(run.has_value());
  return make_results(*run);
}

std::string report(const Results& results, const char* format) {
  return find_reporter(format)->write(results, nullptr);
}

}  // namespace

TEST_CASE("figures are those computed by hand from the rows") {
  RunFolder folder;
  const Results results = results_of(folder);
  REQUIRE(results.groups.size() == 2);
  const Cell& tare = *results.groups[1].find("tare");
  // 1 ms + 0.1, 0.2, 0.3 ms by round + 0 to 0.03 ms by sequence
  CHECK(tare.figures.value(metrics::mean_latency) == Approx(1.215));
  CHECK(tare.figures.value(metrics::median_latency) == Approx(1.215));
  CHECK(tare.figures.at(metrics::mean_latency).n == 12);
  REQUIRE(tare.rounds.size() == 3);
  CHECK(tare.rounds[0].figures.value(metrics::mean_latency) == Approx(1.115));
  CHECK(tare.rounds[2].figures.value(metrics::mean_latency) == Approx(1.315));
  CHECK(tare.figures.value(metrics::added_mean) == Approx(0.75));
  CHECK(tare.figures.at(metrics::added_mean).n == 3);
  CHECK(tare.figures.value(metrics::cpu) == Approx(0.2));
  CHECK(tare.figures.value(metrics::anon_end) == Approx(4 * 1048576));
  CHECK(tare.figures.value(metrics::anon_largest) == Approx(5 * 1048576));
  CHECK(tare.figures.value(metrics::private_largest) == Approx(6 * 1048576));
  CHECK(tare.figures.value(metrics::peak) == Approx(7 * 1048576));
  CHECK(tare.figures.value(metrics::harness_cpu) == Approx(0.03));
  CHECK(tare.figures.value(metrics::upstream_cpu) == Approx(0.02));
  CHECK(results.groups[1].cpu_reduction.value == Approx(1 - 0.2 / 4));
  CHECK(results.find("tare")->figures.value(metrics::ready) == Approx(20));
  CHECK(results.find("tare")->figures.value(metrics::first_request) == Approx(1.2));
  CHECK(results.find("tare")->figures.value(metrics::life_cpu) == Approx(0.2));
}

TEST_CASE("what was not measured is absent, with the reason, and never 0") {
  RunFolder folder;
  const Results results = results_of(folder);
  const Cell& direct = *results.groups[0].find("direct");
  CHECK_FALSE(direct.figures.value(metrics::cpu));
  CHECK(direct.figures.at(metrics::cpu).absent_because == "not measured");
  CHECK_FALSE(direct.figures.value(metrics::anon_end));
  CHECK_FALSE(direct.figures.value(metrics::p95_latency));
  CHECK(direct.figures.at(metrics::p95_latency).absent_because == "needs 200 values, has 12");
}

TEST_CASE("the same run folder gives the same bytes") {
  RunFolder folder;
  folder.write();
  REQUIRE(verify_decoders(folder.path()).has_value());
  for (const char* format : {"markdown", "json"}) {
    const std::string once = report(make_results(*read_run(folder.path())), format);
    CHECK(once == report(make_results(*read_run(folder.path())), format));
    CHECK_THAT(once, !Contains(folder.path().string()));
  }
}
