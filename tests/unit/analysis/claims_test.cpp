#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "analysis/published.h"
#include "analysis/reporter.h"
#include "common/files.h"
#include "tests/support/run_folder.h"
#include "tests/support/temporary_folder.h"

using Catch::Matchers::Contains;
using nlohmann::json;
using namespace tare::analysis;
using tare::test::RunFolder;
using tare::test::TemporaryFolder;

namespace {

const double sent = static_cast<double>(tare::test::sent_body(0).size());
const double headroom_repeated =
    static_cast<double>(tare::test::forwarded_body("headroom-0.37.0", 0).size());
// Indexes 1 to 4; the odd ones lack the planted line.
const double headroom_unique =
    (static_cast<double>(tare::test::forwarded_body("headroom-0.37.0", 1).size()) +
     headroom_repeated) /
    2;

json cell(double mean_ms, double bytes) {
  return {{"mean_ms", mean_ms}, {"mean_forwarded_bytes", bytes}, {"cpu_ms_per_request", 1}};
}

json group(const char* mode, double headroom_bytes) {
  return {{"task", "logs"},
          {"mode", mode},
          {"arms",
           {{"proxy", cell(3, 100)},
            {"headroom", cell(20, headroom_bytes)},
            {"control", cell(2, sent)}}}};
}

// Published figures that the run of RunFolder could have come from.
class PublishedFolder {
 public:
  PublishedFolder() {
    figures = {
        {"source", "a test"},
        {"host", "a machine"},
        {"protocol", {{"warmup", 1}, {"measured", 4}}},
        {"groups", {group("repeated", headroom_repeated), group("unique", headroom_unique)}}};
    claims = {
        {"name_map", {{"proxy", "tare"}, {"headroom", "headroom-0.37.0"}, {"control", "control"}}},
        {"claims", json::array()}};
    add({{"id", "requests"}, {"kind", "exact"}, {"value", 72}});
    add({{"id", "sent-bytes"}, {"kind", "exact"}, {"values", by_group(sent, sent)}});
    add({{"id", "headroom-bytes"},
         {"kind", "exact"},
         {"values", by_group(headroom_repeated, headroom_unique)}});
    add({{"id", "fewer-bytes"}, {"kind", "direction"}});
    add({{"id", "faster"}, {"kind", "direction"}});
    add({{"id", "latency"}, {"kind", "ratio"}, {"values", by_group(6.5, 7)}});
    add({{"id", "cpu-reduction"}, {"kind", "ratio"}, {"values", by_group(0.9, 0.96)}});
    add({{"id", "memory"},
         {"kind", "direction"},
         {"values", {{"proxy", 2}, {"headroom", 3}, {"control", 1}}}});
    add({{"id", "rate-limit"}, {"kind", "direction"}});
    add({{"id", "unheard-of"}, {"kind", "exact"}});
  }

  static json by_group(double repeated, double unique) {
    return {{"logs/repeated", repeated}, {"logs/unique", unique}};
  }

  void add(json claim) {
    claim["text"] = claim["id"];
    claims["claims"].push_back(std::move(claim));
  }

  std::map<std::string, ClaimResult> judge(const RunFolder& run) const {
    REQUIRE(tare::write_file(folder_ / "figures.json", figures.dump()).has_value());
    REQUIRE(tare::write_file(folder_ / "claims.json", claims.dump()).has_value());
    run.write();
    const auto raw = read_run(run.path());
    const auto published = read_published(folder_.path());
    REQUIRE(raw.has_value());
    REQUIRE(published.has_value());
    std::map<std::string, ClaimResult> results;
    for (auto& result : compare_with(make_results(*raw), *published).claims) {
      results[result.claim.id] = std::move(result);
    }
    return results;
  }

  json figures;
  json claims;

 private:
  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("exact claims are decided by equality") {
  PublishedFolder published;
  RunFolder run;
  auto claims = published.judge(run);
  CHECK(claims["requests"].outcome == Outcome::holds);
  CHECK(claims["sent-bytes"].outcome == Outcome::holds);
  CHECK(claims["headroom-bytes"].outcome == Outcome::holds);
  published.claims["claims"][1]["values"]["logs/unique"] = sent + 0.05;
  claims = published.judge(run);
  CHECK(claims["sent-bytes"].outcome == Outcome::does_not_hold);
  CHECK(claims["sent-bytes"].parts.at(0).outcome == Outcome::holds);
  CHECK(claims["sent-bytes"].parts.at(1).outcome == Outcome::does_not_hold);
}

TEST_CASE("a direction or ratio is reproduced in those rounds in which all its groups are") {
  PublishedFolder published;
  RunFolder run;
  auto claims = published.judge(run);
  CHECK(claims["fewer-bytes"].rounds_reproduced == 3);
  CHECK(claims["faster"].rounds_reproduced == 3);
  CHECK(claims["faster"].rounds == 3);
  // HeadRoom over tare is 8.115/1.115, 8.215/1.215 and 8.315/1.315: 7.28, 6.76, 6.32.
  CHECK(claims["latency"].outcome == Outcome::reproduced);
  CHECK(claims["latency"].parts.at(0).rounds_reproduced == 2);
  CHECK(claims["latency"].parts.at(1).rounds_reproduced == 1);
  CHECK(claims["latency"].rounds_reproduced == 1);
  CHECK(claims["cpu-reduction"].parts.at(0).rounds_reproduced == 3);
  CHECK(claims["cpu-reduction"].rounds_reproduced == 0);  // 0.95 is below 0.96
}

TEST_CASE("where HeadRoom did other work than in the published run, time and CPU say nothing") {
  PublishedFolder published;
  published.figures["groups"][1]["arms"]["headroom"]["mean_forwarded_bytes"] = 12345;
  auto claims = published.judge(RunFolder());
  CHECK(claims["latency"].outcome == Outcome::reproduced);
  CHECK(claims["latency"].rounds_reproduced == 2);
  CHECK(claims["latency"].parts.at(1).outcome == Outcome::cannot_be_told);
  CHECK_THAT(claims["latency"].parts.at(1).because,
             Contains("did other work here") && Contains("without Kompress weights"));
  CHECK_THAT(claims["latency"].because,
             Contains("part by part: logs/repeated 2; cannot be told: logs/unique"));
}

TEST_CASE("of memory the order is judged and the amounts are not") {
  PublishedFolder published;
  RunFolder run;
  for (auto& row : run.groups) {
    if (row["arm"] == "tare") row["private_end_bytes"] = 1;
    if (row["arm"] == "tare") row["private_begin_bytes"] = row["round"] == 2 ? 99999999 : 1;
  }
  auto claims = published.judge(run);
  CHECK(claims["memory"].outcome == Outcome::reproduced);
  CHECK(claims["memory"].rounds_reproduced == 0);
  CHECK(claims["memory"].parts.at(1).outcome == Outcome::cannot_be_told);
}

TEST_CASE("the rate limit is judged of a run that leaves it as it is, which ends incomplete") {
  PublishedFolder published;
  RunFolder run;
  CHECK_THAT(published.judge(run)["rate-limit"].because, Contains("headroom-default-rate"));
  run.run["plan"]["arm_overrides"] = {
      {"headroom-0.37.0", {{"remove_arguments", {"--no-rate-limit"}}}}};
  auto claims = published.judge(run);
  CHECK(claims["rate-limit"].outcome == Outcome::reproduced);
  CHECK(claims["rate-limit"].rounds_reproduced == 0);
  run.run["state"] = "incomplete";
  run.run["reason"] = "arm headroom-0.37.0, round 1: HTTP 429";
  run.starts[1]["outcome"] = "rate_limited";
  for (auto& row : run.requests) {
    if (row["arm"] == "headroom-0.37.0" && row["round"] == 1) row["status"] = 429;
  }
  claims = published.judge(run);
  CHECK(claims["rate-limit"].rounds_reproduced == 1);
  CHECK(claims["latency"].outcome == Outcome::cannot_be_told);
  CHECK_THAT(claims["latency"].because, Contains("the run is incomplete"));
}

TEST_CASE("a claim cannot be told without the arms, the plan or the figures it is about") {
  PublishedFolder published;
  RunFolder run;
  CHECK_THAT(published.judge(run)["unheard-of"].because, Contains("does not know this claim"));
  published.claims["claims"][0]["value"] = 2160;
  CHECK(published.judge(run)["requests"].because == "this plan has 72 such requests");
  published.figures["protocol"]["measured"] = 40;
  CHECK_THAT(published.judge(run)["sent-bytes"].because, Contains("measures other bodies"));
  run.run["arms"][1]["status"] = "not_installed";
  run.run["arms"][1]["reason"] = "type tare arms install headroom-0.37.0";
  auto claims = published.judge(run);
  for (const char* id : {"requests", "headroom-bytes", "faster", "latency", "memory"}) {
    CHECK(claims[id].outcome == Outcome::cannot_be_told);
    CHECK_THAT(claims[id].because, Contains("headroom-0.37.0 is not installed: type tare arms"));
  }
}

TEST_CASE("raw data that lost rows does not decide how many requests there were") {
  PublishedFolder published;
  RunFolder run;
  run.starts.erase(run.starts.begin());
  CHECK_THAT(published.judge(run)["requests"].because, Contains("damaged"));
}

TEST_CASE("published figures that are not there or not understood are refused with their place") {
  TemporaryFolder folder;
  CHECK(read_published(folder / "nothing").error().code == tare::Error::Code::usage);
  CHECK(read_published(folder.path()).error().code == tare::Error::Code::usage);
  REQUIRE(tare::write_file(folder / "x.json", R"({"groups":[{"task":1}]})").has_value());
  CHECK_THAT(read_published(folder.path()).error().message, Contains("/groups/task"));
  REQUIRE(tare::write_file(folder / "x.json", "{").has_value());
  CHECK_THAT(read_published(folder / "x.json").error().message, Contains("not JSON at byte"));
}

TEST_CASE("the published comparison of this tree can be read, and each claim has its judge") {
  const auto published =
      read_published(std::filesystem::path(TARE_SOURCE_DIR) / "data" / "published");
  REQUIRE(published.has_value());
  CHECK(published->groups.size() == 6);
  CHECK_FALSE(published->limits.empty());
  RunFolder run;
  run.write();
  const auto comparison = compare_with(make_results(*read_run(run.path())), *published);
  REQUIRE(comparison.claims.size() == 9);
  for (const auto& result : comparison.claims) {
    CHECK_THAT(result.because, !Contains("does not know"));
  }
}
