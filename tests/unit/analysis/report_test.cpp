// Figures of a small run folder, computed by hand.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "analysis/raw_reader.h"
#include "analysis/reporter.h"
#include "analysis/results.h"
#include "analysis/verify.h"
#include "tests/support/run_folder.h"

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
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
  CHECK(tare.figures.value(metrics::harness_cpu) == Approx(0.03));
  CHECK(tare.figures.value(metrics::upstream_cpu) == Approx(0.02));
  CHECK(results.groups[1].cpu_reduction.value == Approx(1 - 0.2 / 4));
  CHECK(results.find("tare")->figures.value(metrics::ready) == Approx(20));
  CHECK(results.find("tare")->figures.value(metrics::first_request) == Approx(1.2));
  CHECK(results.find("tare")->figures.value(metrics::peak) == Approx(4 * 1048576));
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

TEST_CASE("an incomplete run says why at its top and gives counts, no figure") {
  RunFolder folder;
  folder.run["state"] = "incomplete";
  folder.run["reason"] = "arm headroom-0.37.0, round 1: HTTP 429";
  folder.starts[1]["outcome"] = "rate_limited";
  folder.starts[1]["reason"] = "HTTP 429 after 60 requests";
  for (auto& row : folder.requests) {
    if (row["start"] == 2 && row["mode"] == "unique") row["status"] = 429;
  }
  const Results results = results_of(folder);
  CHECK(results.groups.empty());
  const std::string text = report(results, "markdown");
  CHECK_THAT(text, StartsWith("# A plan of a test\n\n**Incomplete run: arm headroom-0.37.0, round "
                              "1: HTTP 429.** No figures"));
  CHECK_THAT(text, Contains("| headroom-0.37.0 [1] | ok: 2, rate_limited: 1 | 200: 5, 429: 1 | "
                            "200: 20, 429: 4 |"));
  CHECK_THAT(text,
             Contains("- headroom-0.37.0, round 1: rate_limited: HTTP 429 after 60 requests"));
  CHECK_THAT(text, !Contains("mean ms"));
  CHECK_THAT(report(results, "json"), Contains("\"groups\": []"));
}

TEST_CASE("a run that was killed while it ran is readable and says so") {
  RunFolder folder;
  folder.run["state"] = "incomplete";
  folder.run["reason"] = "running";
  folder.run["ended_at"] = nullptr;
  folder.run.erase("totals");
  folder.starts.clear();
  folder.groups.clear();
  folder.requests.clear();
  CHECK_THAT(report(results_of(folder), "markdown"), Contains("**Incomplete run: it was killed"));
}

TEST_CASE("an arm that is not installed is shown with the reason, the others with figures") {
  RunFolder folder;
  folder.run["arms"][1]["status"] = "not_installed";
  folder.run["arms"][1]["reason"] = "type tare arms install headroom-0.37.0";
  std::erase_if(folder.starts, [](const auto& row) { return row["arm"] == "headroom-0.37.0"; });
  std::erase_if(folder.groups, [](const auto& row) { return row["arm"] == "headroom-0.37.0"; });
  std::erase_if(folder.requests, [](const auto& row) { return row["arm"] == "headroom-0.37.0"; });
  const Results results = results_of(folder);
  CHECK(results.groups[0].find("headroom-0.37.0") == nullptr);
  CHECK(results.groups[0].find("tare") != nullptr);
  CHECK_FALSE(results.groups[0].cpu_reduction.value);
  CHECK_THAT(
      report(results, "markdown"),
      Contains("**headroom-0.37.0 has no figures**: type tare arms install headroom-0.37.0."));
}

TEST_CASE("the figures of a start that did not end well are left out, and it is named") {
  RunFolder folder;
  folder.starts[0]["outcome"] = "leaked";
  folder.starts[0]["reason"] = "2 processes left";
  const Results results = results_of(folder);
  const Cell& tare = *results.groups[0].find("tare");
  CHECK(tare.rounds.size() == 2);
  CHECK(tare.figures.value(metrics::mean_latency) == Approx(1.265));
  CHECK(tare.figures.at(metrics::cpu).n == 8);
  CHECK(tare.figures.at(metrics::added_mean).n == 2);
  CHECK_THAT(report(results, "markdown"), Contains("- tare, round 1: leaked: 2 processes left"));
}

TEST_CASE("a plan that was changed after the run is told") {
  RunFolder folder;
  CHECK(results_of(folder).warnings.empty());
  folder.run["plan"]["requests"] = 9;
  CHECK_THAT(report(results_of(folder), "markdown"),
             Contains("- run.json: /plan: not the plan that /plan_sha256 is of"));
}

TEST_CASE("failed requests are counted beside the means that they are not in") {
  RunFolder folder;
  for (auto& row : folder.requests) {
    if (row["arm"] == "tare" && row["sequence"] == 3) row["reply_correct"] = false;
  }
  const Results results = results_of(folder);
  const Cell& tare = *results.groups[0].find("tare");
  CHECK(tare.figures.value(metrics::failures) == Approx(3));
  CHECK(tare.figures.at(metrics::requests).n == 12);
  CHECK(tare.figures.at(metrics::mean_latency).n == 9);
  CHECK(tare.figures.value(metrics::mean_latency) == Approx(1.21));
}

TEST_CASE("degraded modes stand beside each figure of the arm") {
  RunFolder folder;
  const std::string text = report(results_of(folder), "markdown");
  const std::size_t arms = text.find("\n## Arms");
  for (std::size_t at = 0; (at = text.find("| headroom-0.37.0", at)) < arms; ++at) {
    CHECK(text.substr(at, 21) == "| headroom-0.37.0 [1]");
  }
  CHECK_THAT(text, Contains("[1] without Kompress weights"));
}

TEST_CASE("what was kept is counted for each distinct body") {
  RunFolder folder;
  const Results results = results_of(folder);
  const Kept& tare = results.groups[1].find("tare")->kept;
  CHECK(tare.pairs == 5);
  CHECK(tare.changes.at(Change::outputs_only) == 5);
  CHECK(tare.facts_kept == 5);
  const Kept& headroom = results.groups[1].find("headroom-0.37.0")->kept;
  CHECK(headroom.changes.at(Change::respelled) == 5);
  CHECK(headroom.facts == 5);
  CHECK(headroom.facts_kept == 3);
  CHECK(headroom.facts_words_kept == 3);
  CHECK(results.groups[1].find("control")->kept.changes.at(Change::none) == 5);
  CHECK(results.groups[0].find("control")->kept.pairs == 1);
}

TEST_CASE("retries, and bodies that are not always forwarded alike, are findings") {
  RunFolder folder;
  auto& row = folder.requests.back();  // of direct
  row["attempts"] = 3;
  row["received_sha256"] = folder.requests.front()["received_sha256"];
  const Results results = results_of(folder);
  REQUIRE(results.findings.size() == 2);
  CHECK_THAT(results.findings[0],
             Contains("direct: requests that reached the upstream more than once: 1"));
  CHECK_THAT(results.findings[1], Contains("direct, logs/unique: the same body was not always"));
}

TEST_CASE("a figure can be computed again from the lines that the JSON names") {
  RunFolder folder;
  const auto root = nlohmann::json::parse(report(results_of(folder), "json"));
  const auto& figure = root["groups"][0]["arms"][0]["figures"]["mean_ms"];
  CHECK(figure["unit"] == "ms");
  CHECK(figure["n"] == 12);
  CHECK(figure["source"]["file"] == "requests.jsonl.zst");
  CHECK(figure["source"]["lines"] == "2-5, 42-45, 82-85");
  double sum_ms = 0;
  for (const std::size_t first : {2U, 42U, 82U}) {
    for (std::size_t line = first; line < first + 4; ++line) {
      const auto& row = folder.requests.at(line - 1);
      sum_ms += (row["last_byte_ns"].get<double>() - row["sent_ns"].get<double>()) / 1e6;
    }
  }
  CHECK(figure["value"].get<double>() == Approx(sum_ms / 12));
}

TEST_CASE("every figure names its unit, n and rows, or why it is absent") {
  RunFolder folder;
  const auto root = nlohmann::json::parse(report(results_of(folder), "json"));
  std::size_t seen = 0;
  const auto check = [&](const nlohmann::json& figures) {
    for (const auto& figure : figures) {
      ++seen;
      CHECK_FALSE(figure["unit"].get<std::string>().empty());
      CHECK_FALSE(figure["source"]["how"].get<std::string>().empty());
      if (figure["value"].is_null()) {
        CHECK_FALSE(figure["absent_because"].get<std::string>().empty());
      } else if (figure["n"] > 0) {
        CHECK_FALSE(figure["source"]["lines"].get<std::string>().empty());
      }
    }
  };
  for (const auto& arm : root["arms"]) check(arm["figures"]);
  for (const auto& group : root["groups"]) {
    for (const auto& cell : group["arms"]) {
      check(cell["figures"]);
      for (const auto& round : cell["rounds"]) check(round["figures"]);
    }
  }
  CHECK(seen > 500);
}

TEST_CASE("an arm that only forwards has one row of what was kept, for all groups") {
  RunFolder folder;
  CHECK_THAT(report(results_of(folder), "markdown"),
             Contains("| control | each | 6 | 6 | 0 | 0 | 0 | 6 of 6 | 6 of 6 | no decoder |"));
}

TEST_CASE("an arm without a process has no start-up") {
  RunFolder folder;
  CHECK_FALSE(results_of(folder).find("direct")->figures.value(metrics::ready));
}

TEST_CASE("text of the raw data cannot break a table") {
  RunFolder folder;
  folder.run["arms"][0]["title"] = "a | b\nc";
  CHECK_THAT(report(results_of(folder), "markdown"), Contains("| tare | a \\| b c |"));
}
