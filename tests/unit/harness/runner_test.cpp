#include "harness/runner.h"

#include <catch2/catch.hpp>
#include <csignal>

#include "tests/unit/harness/runner_fakes.h"

using namespace tare;
using namespace tare::harness;
using namespace tare::harness::fakes;
using Catch::Matchers::Contains;

namespace {

const Calls whole_start{"start",       "ready", "warm-up x5", "mark",
                        "request x40", "mark",  "stop",       "reap"};

}  // namespace

TEST_CASE("the life cycle of a start") {
  Run run(one_group());
  const auto result = run();
  REQUIRE(result);
  CHECK(run.world.calls == whole_start);
  CHECK_FALSE(result->incomplete);
  CHECK(result->absent.empty());
  CHECK(result->totals.planned_measured == 40);
  CHECK(result->totals.measured == 40);
  CHECK(result->totals.failed_measured == 0);
  CHECK(result->totals.warmups == 5);
  CHECK(run.starter.last_upstream == "http://upstream");
}

TEST_CASE("every group of a start has its warm-up and its marks") {
  Plan plan = one_group();
  plan.groups = {published_group(Task::logs, Mode::repeated),
                 published_group(Task::json, Mode::unique)};
  Run run(plan);
  REQUIRE(run());
  CHECK(run.world.calls == Calls{"start", "ready", "warm-up x5", "mark", "request x40", "mark",
                                 "warm-up x5", "mark", "request x40", "mark", "stop", "reap"});
  CHECK(run.recorder.groups.size() == 2);
}

TEST_CASE("the rows of a start say what was sent, received and used") {
  Run run(one_group());
  REQUIRE(run());
  REQUIRE(run.recorder.starts.size() == 1);
  const StartRow& start = run.recorder.starts[0];
  CHECK(start.outcome == Outcome::ok);
  CHECK(start.argv == Calls{"arm", "serve"});
  CHECK(start.began_ns == 1);
  CHECK(start.ready_ns == 2);
  CHECK(start.cpu_at_ready_us == 100);
  CHECK(start.cpu_total_us == 500);
  CHECK(start.grade == 'A');
  CHECK_FALSE(start.peak_since);
  REQUIRE(run.recorder.groups.size() == 1);
  const GroupRow& group = run.recorder.groups[0];
  CHECK(group.cpu_us == 100);
  CHECK(group.source == "cgroup");
  CHECK(group.requests == 40);
  CHECK(group.failures == 0);
  CHECK(group.private_begin_bytes == 2'000'000);
  CHECK(group.private_end_bytes == 2'000'000);
  CHECK(group.harness_cpu_us == 7);
  CHECK(group.upstream_cpu_us == 10);
  REQUIRE(run.recorder.requests.size() == 45);
  for (std::size_t i = 0; i < 45; ++i) {
    const RequestRow& row = run.recorder.requests[i];
    CHECK(row.request == static_cast<std::int64_t>(i) + 1);
    CHECK(row.phase == (i < 5 ? Phase::warmup : Phase::measured));
    CHECK(row.sequence == static_cast<int>(i < 5 ? i : i - 5));
    CHECK(row.index == static_cast<int>(i));
    CHECK(row.received_bytes == row.sent_bytes);
    CHECK(row.received_sha256 == row.sent_sha256);
    CHECK(row.reply_correct);
    CHECK(row.attempts == 1);
    if (row.phase == Phase::measured) {
      CHECK(row.sent_ns > group.begin_ns);
      CHECK(row.last_byte_ns < group.end_ns);
    } else {
      CHECK(row.last_byte_ns < group.begin_ns);
    }
  }
  CHECK(run.recorder.workload.size() == 45);
  CHECK(run.recorder.bodies.size() == 45);
  CHECK(run.recorder.upstream.size() == 45);
}

TEST_CASE("mode repeated sends index 0 throughout") {
  Plan plan = one_group();
  plan.groups = {published_group(Task::code, Mode::repeated)};
  Run run(plan);
  REQUIRE(run());
  CHECK(run.recorder.workload.size() == 1);
  for (const RequestRow& row : run.recorder.requests) CHECK(row.index == 0);
}

TEST_CASE("the first arms rotate by one place a round, the others follow") {
  Plan plan = one_group({"a", "b", "c", "d"});
  plan.rounds = 3;
  plan.rotate = 3;
  Run run(plan);
  REQUIRE(run());
  CHECK(run.starter.names == Calls{"a", "b", "c", "d", "b", "c", "a", "d", "c", "a", "b", "d"});
  CHECK(run.recorder.starts[4].round == 2);
  CHECK(run.recorder.starts[4].position == 1);
  CHECK(run.recorder.starts[4].start == 5);
}

TEST_CASE("words that the plan removes from a command reach the starter") {
  Plan plan = one_group();
  plan.removed_arguments = {{"a", {"--no-rate-limit"}}};
  Run run(plan);
  REQUIRE(run());
  CHECK(run.starter.last_removed == Calls{"--no-rate-limit"});
}

TEST_CASE("an arm that does not start is labelled and the rest goes on") {
  const auto [error, outcome] = GENERATE(table<Error, Outcome>({
      {Error::timed_out("arm a: not ready after 10 s"), Outcome::hung},
      {Error::crashed("arm a: ended with exit code 1"), Outcome::crashed},
      {Error::missing("arm a: no such program", "install it"), Outcome::failed},
  }));
  Run run(one_group({"a", "b"}));
  run.world.at_start = [&failure = error](const auto& arm) {
    return arm == "a" ? std::optional(failure) : std::nullopt;
  };
  const auto result = run();
  REQUIRE(result);
  Calls expected{"start x2"};
  expected.insert(expected.end(), whole_start.begin() + 1, whole_start.end());
  CHECK(run.world.calls == expected);
  CHECK_FALSE(result->incomplete);
  REQUIRE(result->absent.size() == 1);
  CHECK("arm " + result->absent[0] == error.text());
  CHECK(run.recorder.starts[0].outcome == outcome);
  CHECK("arm a: " + *run.recorder.starts[0].reason == error.text());
  CHECK(run.recorder.starts[1].outcome == Outcome::ok);
  REQUIRE(run.recorder.events.size() == 1);
  CHECK(run.recorder.events[0].kind == "arm_failed");
}

TEST_CASE("an arm that started in one round and not in the next makes the run incomplete") {
  Plan plan = one_group();
  plan.rounds = 2;
  Run run(plan);
  run.world.at_start = [n = 0](const auto&) mutable {
    return ++n == 1 ? std::nullopt : std::optional(Error::timed_out("arm a: not ready"));
  };
  const auto result = run();
  REQUIRE(result);
  REQUIRE(result->incomplete);
  CHECK_THAT(*result->incomplete, Contains("arm a, round 2: hung: not ready"));
  CHECK(result->absent.empty());
}

TEST_CASE("the same holds the other way round") {
  Plan plan = one_group();
  plan.rounds = 2;
  Run run(plan);
  run.world.at_start = [n = 0](const auto&) mutable {
    return ++n == 2 ? std::nullopt : std::optional(Error::timed_out("arm a: not ready"));
  };
  const auto result = run();
  REQUIRE(result);
  REQUIRE(result->incomplete);
  CHECK_THAT(*result->incomplete, Contains("arm a, round 1"));
}

TEST_CASE("an arm that is not installed is labelled once, with a row a round") {
  Plan plan = one_group({"a", "b"});
  plan.rounds = 2;
  Run run(plan);
  run.not_installed = "a";
  const auto result = run();
  REQUIRE(result);
  CHECK_FALSE(result->incomplete);
  CHECK(result->absent == Calls{"a: not installed"});
  CHECK(run.starter.names == Calls{"b", "b"});
  CHECK(run.recorder.starts.size() == 4);
  CHECK(run.recorder.starts[0].outcome == Outcome::not_installed);
  CHECK_FALSE(run.recorder.starts[0].argv);
  CHECK(run.recorder.events.size() == 1);
  CHECK(result->totals.planned_measured == 160);
  CHECK(result->totals.measured == 80);
}

TEST_CASE("a run in which no arm was ready is incomplete") {
  Run run(one_group());
  run.not_installed = "a";
  const auto result = run();
  REQUIRE(result);
  REQUIRE(result->incomplete);
  CHECK_THAT(*result->incomplete, Contains("no arm could be started"));
}

TEST_CASE("a group whose route an arm has not is left out for it, which is no failure") {
  Run run(one_group());
  run.without_route = "a";
  const auto result = run();
  REQUIRE(result);
  CHECK(run.world.calls == Calls{"start", "ready", "stop", "reap"});
  CHECK(run.recorder.starts[0].outcome == Outcome::ok);
  CHECK_FALSE(result->incomplete);
  CHECK(result->totals.planned_measured == 0);
  CHECK(run.recorder.requests.empty());
  REQUIRE(run.recorder.events.size() == 1);
  CHECK(run.recorder.events[0].kind == "route_not_supported");
}

TEST_CASE("mode each sends every body of a workload once, then again from the first") {
  Plan plan = one_group();
  plan.home = TARE_SOURCE_DIR;
  plan.groups = {{Task{"tiny"}, Mode::each, *workload_from("tiny")}};
  plan.warmups = 1;
  plan.requests = 14;
  Run run(plan);
  const auto result = run();
  REQUIRE(result);
  CHECK(result->totals.planned_measured == 14);
  CHECK(run.recorder.workload.size() == 12);
  REQUIRE(run.recorder.requests.size() == 15);
  CHECK(run.recorder.requests[12].index == 11);
  CHECK(run.recorder.requests[13].index == 0);
}

TEST_CASE("a failed request ends its start, and what was sent is kept") {
  const auto [post, calls] = GENERATE(table<int, Calls>({
      {3, {"start", "ready", "warm-up x3", "stop", "reap"}},
      {5 + 12, {"start", "ready", "warm-up x5", "mark", "request x12", "stop", "reap"}},
  }));
  Run run(one_group());
  run.world.at_post = [&failing = post](int n, Exchange& exchange) {
    if (n == failing) exchange.status = 502;
  };
  const auto result = run();
  REQUIRE(result);
  CHECK(run.world.calls == calls);
  CHECK(run.recorder.starts[0].outcome == Outcome::failed);
  CHECK_THAT(*run.recorder.starts[0].reason, Contains("HTTP 502"));
  CHECK(run.recorder.groups.empty());
  REQUIRE(run.recorder.requests.size() == static_cast<std::size_t>(post));
  CHECK(run.recorder.requests.back().failed());
  REQUIRE(result->incomplete);
  CHECK_THAT(*result->incomplete, Contains("arm a, round 1: failed: HTTP 502"));
}

TEST_CASE("HTTP 429 ends the start as rate limited, whatever the plan says of failures") {
  Plan plan = one_group({"a", "b"});
  plan.any_failure_makes_incomplete = GENERATE(true, false);
  Run run(plan);
  run.world.at_post = [](int n, Exchange& exchange) {
    if (n == 10) exchange.status = 429;
  };
  const auto result = run();
  REQUIRE(result);
  CHECK(run.recorder.starts[0].outcome == Outcome::rate_limited);
  CHECK(run.recorder.starts[1].outcome == Outcome::ok);
  CHECK(result->incomplete);
  CHECK(result->totals.failed_measured == 1);
}

TEST_CASE("a request that runs out of time ends the start as hung") {
  Run run(one_group());
  run.world.at_post = [](int n, Exchange& exchange) {
    if (n != 10) return;
    exchange = broken(exchange, "timed out");
    exchange.timed_out = true;
  };
  REQUIRE(run());
  CHECK(run.recorder.starts[0].outcome == Outcome::hung);
  CHECK(run.world.calls.back() == "reap");
}

TEST_CASE("a process that ends under its requests is a crash with its last words") {
  Run run(one_group());
  run.world.at_post = [&run](int n, Exchange& exchange) {
    if (n != 10) return;
    exchange = broken(exchange, "connection reset");
    run.world.arm_gone = "ended with signal 11";
  };
  REQUIRE(run());
  CHECK(run.recorder.starts[0].outcome == Outcome::crashed);
  CHECK(run.recorder.starts[0].reason == "ended with signal 11");
  CHECK(run.world.calls.back() == "reap");
}

TEST_CASE("a process that ends after its last request is a crash too") {
  Run run(one_group());
  run.world.at_post = [&run](int n, Exchange&) {
    if (n == 45) run.world.arm_gone = "ended with exit code 1";
  };
  REQUIRE(run());
  CHECK(run.world.calls == whole_start);
  CHECK(run.recorder.starts[0].outcome == Outcome::crashed);
  CHECK(run.recorder.groups.size() == 1);
}

TEST_CASE("failures are counted and the start goes on where the plan allows them") {
  Plan plan = one_group();
  plan.any_failure_makes_incomplete = false;
  Run run(plan);
  run.world.at_post = [](int n, Exchange& exchange) {
    if (n == 10 || n == 20) exchange.status = 500;
  };
  const auto result = run();
  REQUIRE(result);
  CHECK(run.world.calls == whole_start);
  CHECK(run.recorder.groups[0].failures == 2);
  CHECK(run.recorder.starts[0].outcome == Outcome::ok);
  CHECK_FALSE(result->incomplete);
}

TEST_CASE("a reply that is not the upstream's is a failure") {
  Run run(one_group());
  run.world.at_post = [](int n, Exchange& exchange) {
    if (n == 10) exchange.reply += ' ';
  };
  const auto result = run();
  REQUIRE(result);
  CHECK_FALSE(run.recorder.requests[9].reply_correct);
  CHECK(run.recorder.requests[9].received_bytes);
  CHECK(run.recorder.starts[0].outcome == Outcome::failed);
  CHECK(result->incomplete);
}

TEST_CASE("attempts of an arm that retries are counted and told") {
  Run run(one_group());
  run.world.duplicates = 2;
  const auto result = run();
  REQUIRE(result);
  for (const RequestRow& row : run.recorder.requests) CHECK(row.attempts == 3);
  REQUIRE(run.recorder.events.size() == 1);
  CHECK(run.recorder.events[0].kind == "retry");
  CHECK_THAT(run.recorder.events[0].message, Contains("45 of 45") && Contains("up to 3 times"));
}

TEST_CASE("processes left behind make the start invalid") {
  Run run(one_group());
  run.world.stop_report.leaked_processes = 2;
  run.world.stop_report.events = {"leaked_processes: 2 were killed", "something odd"};
  const auto result = run();
  REQUIRE(result);
  CHECK(run.recorder.starts[0].outcome == Outcome::leaked);
  CHECK(run.recorder.events[0].kind == "leaked_processes");
  CHECK(run.recorder.events[0].message == "2 were killed");
  CHECK(run.recorder.events[1].kind == "warning");
  CHECK(result->incomplete);
}

TEST_CASE("a fault of the meters makes the start's figures unusable") {
  Run run(one_group());
  run.world.stop_report.fault = "the cgroup saw less than wait4";
  const auto result = run();
  REQUIRE(result);
  CHECK(run.recorder.starts[0].outcome == Outcome::failed);
  CHECK(result->incomplete);
}

TEST_CASE("an interrupt stops the arm, starts no other and is the run's reason") {
  Run run(one_group({"a", "b"}));
  run.world.at_post = [&run](int n, Exchange&) {
    if (n == 10) run.world.interrupt = SIGINT;
  };
  const auto result = run();
  REQUIRE(result);
  CHECK(run.world.calls ==
        Calls{"start", "ready", "warm-up x5", "mark", "request x5", "stop", "reap"});
  CHECK(run.recorder.starts.size() == 1);
  CHECK(run.recorder.starts[0].outcome == Outcome::interrupted);
  CHECK(result->incomplete == "interrupted by SIGINT");
  CHECK(run.recorder.requests.size() == 10);
  CHECK(run.recorder.events.back().kind == "interrupted");
}

TEST_CASE("an upstream that is gone ends the run with an error, and the arm is stopped") {
  Run run(one_group({"a", "b"}));
  run.world.at_post = [&run](int n, Exchange& exchange) {
    if (n != 10) return;
    exchange.status = 502;
    run.world.upstream_gone = "the scripted upstream stopped";
  };
  const auto result = run();
  REQUIRE_FALSE(result);
  CHECK_THAT(result.error().text(), Contains("the scripted upstream stopped"));
  CHECK(run.world.calls.back() == "reap");
  CHECK(run.starter.names == Calls{"a"});
}

TEST_CASE("a folder that cannot be written ends the run with an error, and the arm is stopped") {
  Run run(one_group({"a", "b"}));
  run.recorder.commits_left = 1;
  const auto result = run();
  REQUIRE_FALSE(result);
  CHECK(result.error().code == Error::Code::io);
  CHECK(run.world.calls == whole_start);
  CHECK(run.starter.names == Calls{"a"});
}
