// Sliced and isolated rounds, discarded rounds, and going on behind a cut: with the fakes of
// runner_fakes.h.
#include <catch2/catch.hpp>
#include <csignal>
#include <map>
#include <set>

#include "tests/unit/harness/runner_fakes.h"

using namespace tare;
using namespace tare::harness;
using namespace tare::harness::fakes;
using Catch::Matchers::Contains;

namespace {

Plan sliced(int rounds = 1, int isolated = 0) {
  Plan plan = one_group({"a", "b"});
  plan.protocol = Protocol::sliced;
  plan.rounds = rounds;
  plan.any_failure_makes_incomplete = false;
  plan.warmups = 2;
  plan.slicing.isolated_rounds = isolated;
  plan.slicing.twin_of = "b";
  plan.slicing.groups = 20;
  plan.slicing.most_requests = 3;
  plan.slicing.isolated_requests = 4;
  return plan;
}

std::vector<RequestRow> requests_of(const Run& run, int start) {
  std::vector<RequestRow> rows;
  for (const auto& row : run.recorder.requests) {
    if (row.start == start) rows.push_back(row);
  }
  return rows;
}

}  // namespace

TEST_CASE("a sliced round has its arms and the twin up together, and visits each in every slice") {
  Run run(sliced());
  const auto result = run();
  REQUIRE(result);
  CHECK_FALSE(result->incomplete);
  // All starts first, all stops last.
  CHECK(run.starter.names.size() == 3);
  CHECK(std::set(run.starter.names.begin(), run.starter.names.end()) ==
        std::set<std::string>{"a", "b", "b-twin"});
  REQUIRE(run.recorder.rounds.size() == 1);
  CHECK(run.recorder.rounds[0].order == run.starter.names);
  CHECK(run.recorder.rounds[0].design == Design::sliced);
  REQUIRE(run.recorder.groups.size() == 60);
  std::map<int, std::set<int>> positions;
  std::map<int, std::set<std::string>> arms;
  for (const auto& row : run.recorder.groups) {
    REQUIRE(row.slice);
    positions[*row.slice].insert(row.slice_position.value());
    arms[*row.slice].insert(row.arm);
    CHECK(row.design == Design::sliced);
    CHECK(row.requests == 3);
    CHECK(row.cpu_us == 100);
    CHECK_FALSE(row.private_end_bytes);
    CHECK(row.anon_end_bytes == 1'000'000);
  }
  CHECK(arms.size() == 20);
  for (const auto& [slice, names] : arms) CHECK(names.size() == 3);
  for (const auto& [slice, places] : positions) CHECK(places == std::set{1, 2, 3});
  CHECK(result->totals.planned_measured == 60);
  CHECK(result->totals.measured == 180);
  CHECK(result->totals.warmups == 6);
}

TEST_CASE("windows of one slice group do not overlap, and requests stand in their own") {
  Run run(sliced());
  REQUIRE(run());
  std::map<std::pair<int, int>, const GroupRow*> windows;
  for (const auto& row : run.recorder.groups) windows[{row.start, *row.slice}] = &row;
  for (const auto& row : run.recorder.requests) {
    if (row.phase == Phase::warmup) {
      CHECK_FALSE(row.slice);
      continue;
    }
    const auto* window = windows.at({row.start, row.slice.value()});
    CHECK(row.sent_ns > window->begin_ns);
    CHECK(*row.last_byte_ns < window->end_ns);
  }
  std::vector<const GroupRow*> in_time;
  for (const auto& [key, row] : windows) in_time.push_back(row);
  std::ranges::sort(in_time, {}, &GroupRow::begin_ns);
  for (std::size_t i = 1; i < in_time.size(); ++i) {
    CHECK(in_time[i]->begin_ns > in_time[i - 1]->end_ns);
  }
}

TEST_CASE("unique indexes run on over the slices: none twice, the same for every arm") {
  Run run(sliced());
  REQUIRE(run());
  std::set<std::vector<int>> sequences;
  for (int start = 1; start <= 3; ++start) {
    std::vector<int> indexes;
    for (const auto& row : requests_of(run, start)) indexes.push_back(row.index);
    CHECK(std::set(indexes.begin(), indexes.end()).size() == indexes.size());
    CHECK(indexes.back() == 2 + 20 * 3 - 1);
    sequences.insert(indexes);
  }
  CHECK(sequences.size() == 1);
}

TEST_CASE("a slice ends with its time, but not before its least number of requests") {
  Plan plan = sliced();
  plan.slicing.milliseconds = 1;
  plan.slicing.least_requests = 2;
  plan.slicing.most_requests = 10;
  Run run(plan);
  run.world.at_post = [&](int, Exchange&) {
    run.world.clock.sleep_until_ns(run.world.clock.monotonic_ns() + 2'000'000);
  };
  REQUIRE(run());
  for (const auto& row : run.recorder.groups) CHECK(row.requests == 2);
}

TEST_CASE("what an arm does between a slice and the next thing sent to it is told apart") {
  Run run(sliced());
  REQUIRE(run());
  // The fake uses 100 us from each reading to the next.
  for (const auto& row : run.recorder.groups) CHECK(row.cpu_after_us == 100);
  for (const auto& row : run.recorder.starts) CHECK(row.first_request_ns.value() > 0);
}

TEST_CASE("isolated rounds have one arm up, whole windows, and a stretch without requests") {
  Run run(sliced(1, 1));
  REQUIRE(run());
  std::vector<GroupRow> isolated;
  for (const auto& row : run.recorder.groups) {
    if (row.design == Design::isolated) isolated.push_back(row);
  }
  REQUIRE(isolated.size() == 3);
  for (const auto& row : isolated) {
    CHECK_FALSE(row.slice);
    CHECK(row.requests == 4);
    CHECK(row.private_end_bytes == 2'000'000);
    CHECK(row.idle_us >= 1'000'000);
    CHECK(row.idle_cpu_us == 100);
    CHECK(row.cpu_after_us == 100);
  }
  REQUIRE(run.recorder.rounds.size() == 2);
  CHECK(run.recorder.rounds[1].round == 2);
  CHECK(run.recorder.rounds[1].design == Design::isolated);
}

TEST_CASE("an arm that is absent or dies leaves the slices of the others") {
  Run run(sliced());
  run.not_installed = "a";
  const auto result = run();
  REQUIRE(result);
  CHECK_FALSE(result->incomplete);
  CHECK(result->absent == Calls{"a: not installed"});
  CHECK(run.recorder.groups.size() == 40);

  Run dying(sliced());
  dying.world.at_post = [&](int post, Exchange& exchange) {
    if (post != 30) return;
    exchange = broken(exchange, "connection reset");
    dying.world.arm_gone = "ended with signal 9";
  };
  const auto incomplete = dying();
  REQUIRE(incomplete);
  REQUIRE(incomplete->incomplete);
  CHECK_THAT(*incomplete->incomplete, Contains("crashed: ended with signal 9"));
  CHECK(dying.recorder.rounds.size() == 1);
}

TEST_CASE("a disturbed round is kept, labelled and carried out anew") {
  Run run(sliced(2));
  run.machine.disturbed = {1};
  const auto result = run();
  REQUIRE(result);
  CHECK_FALSE(result->incomplete);
  REQUIRE(run.recorder.rounds.size() == 3);
  const auto& rounds = run.recorder.rounds;
  CHECK(rounds[0].discarded == DiscardCause::steal);
  CHECK(rounds[0].attempt == 1);
  CHECK_FALSE(rounds[0].replaces);
  CHECK(rounds[1].round == 2);
  CHECK(rounds[1].attempt == 2);
  CHECK(rounds[1].replaces == 1);
  CHECK(rounds[1].order == rounds[0].order);
  CHECK_FALSE(rounds[1].discarded);
  CHECK(rounds[2].attempt == 1);
  CHECK(run.recorder.starts.size() == 9);
  REQUIRE(run.recorder.events.size() == 1);
  CHECK(run.recorder.events[0].kind == "round_discarded");
  CHECK(run.recorder.events[0].round == 1);
}

TEST_CASE("a round is carried out three times at most, and the run says what it misses") {
  Run run(sliced(2));
  run.machine.disturbed = {1, 2, 3};
  const auto result = run();
  REQUIRE(result);
  CHECK(run.recorder.rounds.size() == 4);
  CHECK(run.recorder.rounds[2].attempt == 3);
  CHECK(run.recorder.rounds[3].attempt == 1);
  REQUIRE(result->incomplete);
  CHECK_THAT(*result->incomplete, Contains("round 3: discarded") && Contains("steal"));
}

TEST_CASE("an arm's failure in a discarded round is not held against the run") {
  Run run(sliced());
  run.machine.disturbed = {1};
  run.world.at_start = [n = 0](const auto&) mutable {
    return ++n == 2 ? std::optional(Error::timed_out("not ready")) : std::nullopt;
  };
  const auto result = run();
  REQUIRE(result);
  CHECK_FALSE(result->incomplete);
  CHECK(run.recorder.starts[0].outcome == Outcome::hung);
}

TEST_CASE("the published protocol keeps a disturbed round and says what was over a limit") {
  Plan plan = one_group();
  plan.rounds = 2;
  Run run(plan);
  run.machine.disturbed = {2};
  const auto result = run();
  REQUIRE(result);
  CHECK_FALSE(result->incomplete);
  REQUIRE(run.recorder.rounds.size() == 2);
  CHECK_FALSE(run.recorder.rounds[1].discarded);
  CHECK(*run.recorder.rounds[1].conditions.steal_share == Approx(0.5));
  REQUIRE(run.recorder.events.size() == 1);
  CHECK(run.recorder.events[0].kind == "gate");
}

TEST_CASE("a clock step discards the round, with an event of its own") {
  Run run(sliced());
  run.world.at_post = [&](int post, Exchange&) {
    if (post == 50) run.machine.wall_offset_ns = 3'000'000'000;
  };
  REQUIRE(run());
  REQUIRE(run.recorder.rounds.size() == 2);
  CHECK(run.recorder.rounds[0].discarded == DiscardCause::clock_step);
  CHECK(run.recorder.events[0].kind == "clock_step");
  CHECK_THAT(run.recorder.events[0].message, Contains("3.000 s"));
}

TEST_CASE("an interrupt ends a sliced round, stops every arm, and writes no row of the round") {
  Run run(sliced());
  run.world.at_post = [&](int post, Exchange&) {
    if (post == 40) run.world.interrupt = SIGTERM;
  };
  const auto result = run();
  REQUIRE(result);
  CHECK(result->incomplete == "interrupted by SIGTERM");
  CHECK(run.recorder.rounds.empty());
  CHECK(run.recorder.starts.size() == 3);
}

TEST_CASE("a run that goes on begins with the next planned round and new numbers") {
  Run run(sliced(3));
  run.from.rounds_done = 1;
  run.from.last_round = 4;
  run.from.last_start = 7;
  run.from.last_request = 100;
  run.from.attempts = 2;
  run.from.replaces = 4;
  run.from.workload_kept = true;
  run.from.totals.measured = 60;
  run.from.gap = "nothing was measured for 12 s";
  const auto result = run();
  REQUIRE(result);
  CHECK_FALSE(result->incomplete);
  REQUIRE(run.recorder.rounds.size() == 2);
  CHECK(run.recorder.rounds[0].round == 5);
  CHECK(run.recorder.rounds[0].attempt == 3);
  CHECK(run.recorder.rounds[0].replaces == 4);
  CHECK(run.recorder.rounds[1].attempt == 1);
  CHECK(run.recorder.starts[0].start == 8);
  CHECK(run.recorder.requests[0].request == 101);
  CHECK(run.recorder.workload.empty());
  CHECK(run.recorder.events[0].kind == "resumed");
  CHECK(result->totals.measured == 60 + 2 * 180);
}

TEST_CASE("what the rounds before a cut showed counts when the run goes on") {
  Run run(sliced(2));
  run.from.rounds_done = 1;
  StartRow failed;
  failed.arm = "a";
  failed.round = 1;
  failed.ready_ns = 5;
  failed.outcome = Outcome::crashed;
  failed.reason = "signal 9";
  run.from.starts = {failed};
  const auto result = run();
  REQUIRE(result);
  REQUIRE(result->incomplete);
  CHECK_THAT(*result->incomplete, Contains("arm a, round 1: crashed: signal 9"));
}

TEST_CASE("an upstream that is gone ends a sliced run with an error, all arms stopped") {
  Run run(sliced());
  run.world.at_post = [&](int post, Exchange&) {
    if (post == 40) run.world.upstream_gone = "the upstream no longer listens";
  };
  const auto result = run();
  REQUIRE_FALSE(result);
  CHECK(run.recorder.starts.size() == 3);
  for (const auto& row : run.recorder.starts) CHECK(row.outcome == Outcome::failed);
  CHECK(run.recorder.rounds.empty());
}
