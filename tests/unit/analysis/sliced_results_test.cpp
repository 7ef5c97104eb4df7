// What is said of a made sliced run (tests/support/sliced_run.h), whose true ratios are known.
#include "analysis/sliced_results.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "analysis/compared_runs.h"
#include "analysis/reporter.h"
#include "analysis/results.h"
#include "common/files.h"
#include "common/zstd_stream.h"
#include "tests/support/json_schema.h"
#include "tests/support/sliced_run.h"
#include "tests/support/temporary_folder.h"

using Catch::Matchers::Contains;
using namespace tare::analysis;
using tare::test::SlicedRun;
using tare::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

RawRun read(const fs::path& folder) {
  auto run = read_run(folder);
  REQUIRE(run.has_value());
  return std::move(*run);
}

RawRun made(const SlicedRun& plan, const TemporaryFolder& folder, const char* name = "run") {
  plan.write(folder / name);
  return read(folder / name);
}

const Versus& versus(const Results& results, Primary metric, const std::string& reference) {
  for (const auto& one : results.sliced->versus) {
    if (one.metric == metric && one.reference == reference && one.mode == "unique" &&
        one.task == "logs") {
      return one;
    }
  }
  FAIL("no such comparison");
  return results.sliced->versus.front();
}

std::string markdown_of(const Results& results) {
  return find_reporter("markdown")->write(results, nullptr);
}

}  // namespace

TEST_CASE("a sliced run gives the verdicts and ratios that were made into it") {
  const TemporaryFolder folder;
  const auto results = make_results(made({}, folder));
  REQUIRE(results.sliced.has_value());
  CHECK_FALSE(results.damaged);
  CHECK(results.sliced->family == 36);
  const auto& slower = versus(results, Primary::latency, "control");
  CHECK(slower.judged.verdict == Verdict::worse);
  CHECK(slower.judged.effect.within95->contains(std::log(300.0 / 160)));
  CHECK(slower.judged.effect.n == 12);
  CHECK(slower.isolated.n == 3);
  const auto& faster = versus(results, Primary::cpu, "headroom-0.37.0");
  CHECK(faster.judged.verdict == Verdict::better);
  CHECK(faster.judged.effect.within95->contains(std::log(180.0 / 5000)));
  CHECK(versus(results, Primary::memory, "control").judged.verdict == Verdict::equivalent);
  const auto& bytes = versus(results, Primary::bytes, "nginx");
  CHECK(bytes.judged.verdict == Verdict::better);
  CHECK_FALSE(bytes.judged.effect.within95);
  CHECK(bytes.judged.effect.n == 20);
}

TEST_CASE("the made run folder of these tests is one that the schemas allow") {
  const TemporaryFolder folder;
  SlicedRun plan;
  plan.rounds = 1;
  plan.write(folder / "run");
  for (const std::string name : {"workload", "rounds", "starts", "groups", "requests", "samples"}) {
    INFO(name);
    const auto root = tare::test::schema("run-" + name);
    const auto rows = tare::zstd_read_file(folder / "run" / (name + ".jsonl.zst")).value().bytes;
    std::size_t faults = 0;
    for (std::size_t begin = 0; begin < rows.size();) {
      const auto end = rows.find('\n', begin);
      const auto row = nlohmann::json::parse(rows.substr(begin, end - begin));
      if (!tare::test::takes(root, row, root)) ++faults;
      begin = end + 1;
    }
    CHECK(faults == 0);
  }
  const auto root = tare::test::schema("run-events");
  const auto events = tare::read_file(folder / "run" / "events.jsonl").value();
  CHECK(tare::test::takes(root, nlohmann::json::parse(events), root));
}

TEST_CASE("the twin's resolution is printed, and the twin differs from its own by less") {
  const TemporaryFolder folder;
  const auto results = make_results(made({}, folder));
  REQUIRE(results.sliced->twins.size() == 12);
  for (const auto& twin : results.sliced->twins) {
    CHECK(twin.effect.within95->contains(0));
    CHECK(*twin.resolution < std::log(1.08));
  }
  CHECK_THAT(markdown_of(results), Contains("The twin, control-twin, is a second copy of control"));
}

TEST_CASE("a discarded round is counted by its cause and in no figure") {
  const TemporaryFolder folder;
  SlicedRun plan;
  plan.discarded_rounds = 2;
  const auto results = make_results(made(plan, folder));
  CHECK(results.sliced->gates.sliced == 12);
  CHECK(results.sliced->gates.isolated == 3);
  CHECK(results.sliced->gates.discarded.at("canary") == 2);
  CHECK(versus(results, Primary::latency, "nginx").judged.effect.n == 12);
  CHECK_THAT(markdown_of(results), Contains("2 discarded for what went on beside the arms"));
}

TEST_CASE("starts of a discarded round ended well, also in a run that was cut off") {
  const TemporaryFolder folder;
  SlicedRun plan;
  plan.discarded_rounds = 2;
  plan.state = "incomplete";
  const auto text = markdown_of(make_results(made(plan, folder)));
  CHECK_THAT(text, Contains("Incomplete run"));
  CHECK_THAT(text, !Contains("did not end well"));
}

TEST_CASE("a round without a row of its own was cut off and is in no figure") {
  const TemporaryFolder folder;
  auto run = made({}, folder);
  run.rounds.pop_back();
  const auto results = make_results(run);
  CHECK(results.sliced->gates.sliced + results.sliced->gates.isolated == 14);
}

TEST_CASE("an incomplete sliced run gives the figures of its whole rounds, and says so") {
  const TemporaryFolder folder;
  SlicedRun plan;
  plan.state = "incomplete";
  auto run = made(plan, folder);
  const auto results = make_results(run);
  CHECK(versus(results, Primary::latency, "control").judged.effect.n == 12);
  CHECK_THAT(markdown_of(results), Contains("Its figures are those of its whole rounds alone"));
  run.rounds.clear();
  const auto none = make_results(run);
  CHECK_FALSE(none.sliced);
  CHECK_THAT(markdown_of(none), Contains("No figures are given from it"));
}

TEST_CASE("arms that are never up together are compared by way of the arm that has a twin") {
  const TemporaryFolder folder;
  auto run = made({}, folder);
  const auto together = make_results(run);
  // As if nginx were in a block of its own.
  for (auto& start : run.starts) {
    const bool first_block = start.round % 2 == 0;
    if (start.design != Design::sliced) continue;
    if (start.arm == (first_block ? "nginx" : "tare")) start.outcome = "failed";
  }
  const auto apart = make_results(run);
  const auto& compared = versus(apart, Primary::latency, "nginx");
  CHECK(compared.through == "control");
  CHECK(compared.rounds.size() == 6);
  CHECK(*compared.judged.effect.estimate ==
        Approx(*versus(together, Primary::latency, "nginx").judged.effect.estimate).margin(0.05));
  CHECK(compared.reference_value);
  CHECK(versus(apart, Primary::latency, "control").through.empty());
  CHECK_THAT(markdown_of(apart), Contains("nginx (by way of control)"));
}

TEST_CASE("less of a metric is no win when more requests failed") {
  const TemporaryFolder folder;
  SlicedRun plan;
  plan.discarded_rounds = 0;
  plan.failing_requests = 3;
  const auto results = make_results(made(plan, folder));
  const auto& one = versus(results, Primary::latency, "headroom-0.37.0");
  CHECK(one.judged.verdict == Verdict::better);
  CHECK_THAT(one.not_same_work, Contains("3 of 720 requests failed"));
  CHECK_THAT(markdown_of(results), Contains("no win, not the same work: 3 of 720"));
}

TEST_CASE("few rounds give figures and no verdict") {
  const TemporaryFolder folder;
  SlicedRun plan;
  plan.rounds = 3;
  const auto results = make_results(made(plan, folder));
  for (const auto& one : results.sliced->versus) {
    if (one.metric == Primary::bytes) continue;
    CHECK(one.judged.verdict == Verdict::none);
    CHECK(one.judged.effect.estimate.has_value());
  }
}

TEST_CASE("private memory and start-up are of isolated rounds only") {
  const TemporaryFolder folder;
  const auto results = make_results(made({}, folder));
  const auto& tare = *results.find("tare");
  CHECK(tare.figures.at(metrics::ready).n == 3);
  const Cell& cell = *results.groups[0].find("tare");
  CHECK_FALSE(cell.figures.value(metrics::private_largest));
  CHECK(cell.isolated.value(metrics::private_largest) > 0);
  CHECK(results.sliced->quiet.front().idle_us_per_s > 0);
}

TEST_CASE("a run made without bodies is reported, with what needs none") {
  const TemporaryFolder folder;
  SlicedRun plan;
  plan.keep_bodies = false;
  const auto results = make_results(made(plan, folder));
  CHECK_FALSE(results.damaged);
  CHECK(results.warnings.empty());
  CHECK(results.groups[0].find("control")->kept.changes.at(Change::none) > 0);
  CHECK(results.groups[0].find("tare")->kept.changes.at(Change::unknown) > 0);
  CHECK(versus(results, Primary::bytes, "control").judged.verdict == Verdict::better);
}

TEST_CASE("without bodies no number of kept facts is given") {
  const TemporaryFolder folder;
  auto run = made({}, folder);
  for (auto& row : run.workload) row.facts = {{"a fact", {"stands there"}}};
  std::filesystem::remove_all(folder / "run/bodies");
  run.bodies_kept = false;
  const auto text = markdown_of(make_results(run));
  CHECK_THAT(text, Contains("facts cannot be told"));
  CHECK_THAT(text, !Contains("facts 0 of 0"));
}

TEST_CASE("each reporter writes a sliced run, the same bytes each time") {
  const TemporaryFolder folder;
  SlicedRun plan;
  plan.rounds = 11;
  const auto run = made(plan, folder);
  for (const auto* reporter : reporters()) {
    INFO(reporter->name());
    const auto text = reporter->write(make_results(run), nullptr);
    CHECK(text == reporter->write(make_results(run), nullptr));
    CHECK(text.ends_with('\n'));
    CHECK_THAT(text, Contains("better"));
    CHECK_THAT(text, !Contains((folder / "run").string()));
  }
}

TEST_CASE("damage in the midst of a file costs what it hits, and its place is named") {
  const TemporaryFolder folder;
  const auto whole = made({}, folder);
  const auto path = folder / "run" / "requests.jsonl.zst";
  auto bytes = tare::read_file(path).value();
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x20);
  REQUIRE(tare::write_file(path, bytes).has_value());
  const auto run = read(folder / "run");
  CHECK(run.damaged);
  REQUIRE_FALSE(run.warnings.empty());
  CHECK_THAT(run.warnings.front(), Contains("requests.jsonl.zst: damaged or cut at byte"));
  CHECK(run.requests.size() < whole.requests.size());
  CHECK(run.requests.size() > whole.requests.size() * 9 / 10);
  CHECK(run.requests.back().sent_ns == whole.requests.back().sent_ns);
  CHECK_THAT(markdown_of(make_results(run)), Contains("## Verdicts on tare"));
}

TEST_CASE("runs before and after a change: the same is not worse, a slower one is") {
  const TemporaryFolder folder;
  const auto base = made({}, folder, "base");
  SlicedRun again;
  again.seed = 2;
  auto same = compare_runs(base, made(again, folder, "same"), "");
  REQUIRE(same.has_value());
  CHECK_FALSE(same->comparable());  // the seed is part of the plan
  auto head = made(again, folder, "again");
  head.info.plan_sha256 = base.info.plan_sha256;
  same = compare_runs(base, head, "");
  REQUIRE(same.has_value());
  CHECK(same->comparable());
  CHECK(same->worse() == 0);
  CHECK(same->anchor == "control");
  again.tare_latency = 1.3;
  head = made(again, folder, "slower");
  head.info.plan_sha256 = base.info.plan_sha256;
  const auto slower = compare_runs(base, head, "");
  REQUIRE(slower.has_value());
  CHECK(slower->worse() == 4);
  CHECK_THAT(compared_markdown(*slower), Contains("**4 of 16 primary metrics are worse.**"));
}

TEST_CASE("runs of other machines and incomplete runs are not compared, and it is said why") {
  const TemporaryFolder folder;
  const auto base = made({}, folder, "base");
  SlicedRun other;
  other.cpu_model = "another CPU";
  const auto machines = compare_runs(base, made(other, folder, "other"), "");
  REQUIRE(machines.has_value());
  CHECK_FALSE(machines->comparable());
  CHECK_THAT(compared_markdown(*machines), Contains("cpu_model is a CPU and another CPU"));
  SlicedRun cut;
  cut.state = "incomplete";
  const auto incomplete = compare_runs(base, made(cut, folder, "cut"), "");
  CHECK_THAT(incomplete->differences.at(0), Contains("HEAD is incomplete"));
  CHECK_FALSE(compare_runs(base, base, "nobody").has_value());
}
