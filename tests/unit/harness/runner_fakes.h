// A world without processes, sockets, files and time, for the runner's tests: its fakes write down
// what is asked of them.
#pragma once

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <functional>
#include <set>

#include "harness/runner.h"
#include "harness/scripted_reply.h"

namespace tare::harness::fakes {

using Calls = std::vector<std::string>;

class FakeClock final : public Clock {
 public:
  std::int64_t monotonic_ns() const override { return ++now_ns_; }
  std::int64_t wall_ns() const override { return 1'800'000'000'000'000'000; }
  void sleep_until_ns(std::int64_t time_ns) override { now_ns_ = std::max(now_ns_, time_ns); }

 private:
  mutable std::int64_t now_ns_ = 0;
};

inline StopReport good_stop() {
  StopReport report;
  report.exit_code = 0;
  report.cpu_total_us = 500;
  report.grade = 'A';
  return report;
}

// The exchange when no response came.
inline Exchange broken(const Exchange& exchange, std::string error) {
  Exchange other;
  other.sent_ns = exchange.sent_ns;
  other.error = std::move(error);
  return other;
}

// What the fakes share: the calls in order, and how the n-th post (from 1) of the run goes.
struct World {
  FakeClock clock;
  Calls calls;
  int posts = 0;
  int marks = 0;
  std::function<void(int post, Exchange&)> at_post = [](int, Exchange&) {};
  std::function<std::optional<Error>(const std::string& arm)> at_start = [](const auto&) {
    return std::optional<Error>();
  };
  std::optional<std::string> arm_gone;
  std::optional<std::string> upstream_gone;
  StopReport stop_report = good_stop();
  std::vector<Received> received;
  int duplicates = 0;  // further receipts for each request
  std::int64_t upstream_requests = 0;
  std::atomic<int> interrupt = 0;

  // Repeated calls become "request x40".
  void called(const std::string& what) {
    if (!calls.empty()) {
      auto& last = calls.back();
      if (last == what) {
        last += " x2";
        return;
      }
      if (last.starts_with(what + " x")) {
        last = fmt::format("{} x{}", what, std::stoi(last.substr(what.size() + 2)) + 1);
        return;
      }
    }
    calls.push_back(what);
  }
};

class FakeArm final : public StartedArm {
 public:
  explicit FakeArm(World& world) : world_(world) {}
  const std::vector<std::string>& argv() const override { return argv_; }
  const std::string& base_url() const override { return url_; }
  std::int64_t began_ns() const override { return 1; }
  std::int64_t ready_ns() const override { return 2; }
  // The first reading is that at ready; the others are the marks of the windows.
  Reading read() override {
    if (!ready_read_) {
      ready_read_ = true;
      world_.called("ready");
    } else {
      ++world_.marks;
      world_.called("mark");
    }
    cpu_us_ += 100;
    return {world_.clock.monotonic_ns(), cpu_us_, 1'000'000};
  }
  Reading sample() const override { return {}; }
  std::optional<std::int64_t> private_bytes() override { return 2'000'000; }
  void reset_peak() override { ++resets; }
  std::optional<std::string> gone() override { return world_.arm_gone; }
  StopReport stop() override {
    world_.called("stop");
    world_.called("reap");
    return world_.stop_report;
  }
  int resets = 0;

 private:
  World& world_;
  std::vector<std::string> argv_{"arm", "serve"};
  std::string url_ = "http://arm";
  std::int64_t cpu_us_ = 0;
  bool ready_read_ = false;
};

class FakeStarter final : public ArmStarter {
 public:
  explicit FakeStarter(World& world) : world_(world) {}
  Result<std::unique_ptr<StartedArm>> start(const Manifest& manifest,
                                            const std::vector<std::string>& removed,
                                            const std::string& upstream) override {
    world_.called("start");
    names.push_back(manifest.name);
    last_removed = removed;
    last_upstream = upstream;
    if (auto error = world_.at_start(manifest.name)) return fail(*error);
    return std::make_unique<FakeArm>(world_);
  }
  std::vector<std::string> names;
  std::vector<std::string> last_removed;
  std::string last_upstream;

 private:
  World& world_;
};

class FakeUpstream final : public Upstream {
 public:
  explicit FakeUpstream(World& world) : world_(world) {}
  const std::string& url() const override { return url_; }
  std::vector<Received> take() override { return std::exchange(world_.received, {}); }
  std::int64_t cpu_us() const override { return 10 * ++reads_; }
  std::optional<std::string> gone() const override { return world_.upstream_gone; }

 private:
  World& world_;
  std::string url_ = "http://upstream";
  mutable std::int64_t reads_ = 0;
};

// Forwards to the fake upstream what it is asked to send.
class FakeClient final : public Client {
 public:
  explicit FakeClient(World& world) : world_(world) {}
  void use_proxy(const std::string&) override {}
  Exchange post(const std::string& url, std::string_view body, int) override {
    world_.called(world_.marks % 2 == 0 ? "warm-up" : "request");
    CHECK(url == "http://arm/path");
    Exchange exchange;
    exchange.sent_ns = world_.clock.monotonic_ns();
    for (int i = 0; i <= world_.duplicates; ++i) {
      Received received;
      received.upstream_request = ++world_.upstream_requests;
      received.time_ns = world_.clock.monotonic_ns();
      received.method = "POST";
      received.path = "/path";
      received.body = body;
      received.reply = scripted_reply(received.upstream_request);
      exchange.reply = received.reply;
      world_.received.push_back(std::move(received));
    }
    exchange.first_byte_ns = world_.clock.monotonic_ns();
    exchange.last_byte_ns = world_.clock.monotonic_ns();
    exchange.status = 200;
    world_.at_post(++world_.posts, exchange);
    return exchange;
  }

 private:
  World& world_;
};

class FakeRecorder final : public Recorder {
 public:
  void add(const WorkloadRow& row) override { workload.push_back(row); }
  void add(const RoundRow& row) override { rounds.push_back(row); }
  void add(const StartRow& row) override { starts.push_back(row); }
  void add(const GroupRow& row) override { groups.push_back(row); }
  void add(const RequestRow& row) override { requests.push_back(row); }
  void add(const UpstreamRow& row) override { upstream.push_back(row); }
  void add(const RetrievedRow&) override {}
  void add(const SampleRow&) override {}
  void add(const EventRow& row) override { events.push_back(row); }
  void keep_body(const std::string& sha256, std::string_view) override { bodies.insert(sha256); }
  Result<void> commit() override {
    if (commits_left-- == 0) return fail(Error::io("requests.jsonl.zst: cannot write: full"));
    return {};
  }
  Result<void> finish(const RunDocument&) override { return {}; }

  int commits_left = -1;
  std::vector<WorkloadRow> workload;
  std::vector<RoundRow> rounds;
  std::vector<StartRow> starts;
  std::vector<GroupRow> groups;
  std::vector<RequestRow> requests;
  std::vector<UpstreamRow> upstream;
  std::vector<EventRow> events;
  std::set<std::string> bodies;
};

// A quiet machine, unless a test says otherwise of a round (from 1).
class FakeMachine final : public Machine {
 public:
  explicit FakeMachine(World& world) : world_(world) {}
  std::int64_t canary_ns() override { return 5'000'000; }
  MachineReading read() override {
    MachineReading reading;
    reading.monotonic_ns = world_.clock.monotonic_ns();
    reading.wall_ns = reading.monotonic_ns + wall_offset_ns;
    reading.cpu_ticks = 1000 * ++reads_;
    stolen_ += reads_ % 2 == 0 && disturbed.contains(reads_ / 2) ? 500 : 0;
    reading.steal_ticks = stolen_;
    return reading;
  }
  std::set<int> disturbed;  // rounds, by the order in which they are carried out
  std::int64_t wall_offset_ns = 0;

 private:
  World& world_;
  int reads_ = 0;
  std::int64_t stolen_ = 0;
};

inline Plan one_group(std::vector<std::string> arms = {"a"}) {
  Plan plan;
  plan.name = "test";
  plan.rounds = 1;
  plan.arms = std::move(arms);
  plan.groups = {published_group(Task::logs, Mode::unique)};
  return plan;
}

struct Run {
  explicit Run(Plan to_run) : plan(std::move(to_run)) {}

  Result<RunResult> operator()() {
    std::vector<ArmToRun> arms;
    for (const auto& name : arms_and_twin(plan)) {
      Manifest manifest;
      manifest.name = name;
      manifest.routes = {{"responses", "/path"}};
      if (without_route == name) manifest.routes = {{"responses", std::nullopt}};
      arms.push_back({.manifest = manifest,
                      .twin_of = name.ends_with("-twin") ? plan.slicing.twin_of : std::nullopt,
                      .not_installed = not_installed == name
                                           ? std::optional<std::string>("not installed")
                                           : std::nullopt});
    }
    const RunnerParts parts{
        .clock = world.clock,
        .starter = starter,
        .upstream = upstream,
        .make_client = [this] { return std::make_unique<FakeClient>(world); },
        .thread_cpu_us = [this] { return thread_cpu_us += 7; },
        .recorder = recorder,
        .progress = progress,
        .machine = machine,
        .interrupt = world.interrupt,
        .meter_source = "cgroup",
        .sample_every = std::nullopt,
    };
    return run_plan(plan, arms, parts, from);
  }

  Plan plan;
  std::string not_installed;
  std::string without_route;
  World world;
  FakeStarter starter{world};
  FakeUpstream upstream{world};
  FakeRecorder recorder;
  FakeMachine machine{world};
  RunPoint from;
  Progress progress{world.clock, nullptr, false, {}, 1};
  std::int64_t thread_cpu_us = 0;
};

}  // namespace tare::harness::fakes
