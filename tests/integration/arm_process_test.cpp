// A start of an arm with real processes, with cgroups where there are any and without.
#include <fmt/format.h>
#include <signal.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <sstream>
#include <string>
#include <thread>

#include "common/subprocess.h"
#include "harness/cgroup.h"
#include "harness/process_tree.h"
#include "harness/sampler.h"
#include "tests/support/arms.h"
#include "tests/support/processes.h"

namespace tare::harness {
namespace {

using namespace std::chrono_literals;
using Catch::Contains;
using Catch::StartsWith;
using test::goes_away;
using test::runs;

constexpr const char* upstream = "http://127.0.0.1:9";

// Cgroups of starts of this process.
int cgroups_left() {
  int count = 0;
  const std::string ours = fmt::format("tare-{}-", ::getpid());
  for (const auto& parent : {own_cgroups().cpu, own_cgroups().memory}) {
    if (parent.empty()) continue;
    for (const auto& entry : std::filesystem::directory_iterator(parent)) {
      count += entry.path().filename().string().starts_with(ours) ? 1 : 0;
    }
  }
  return count;
}

struct Bench {
  test::TemporaryFolder logs;
  std::unique_ptr<ArmStarter> starter;

  explicit Bench(StarterOptions options = {})
      : starter(make_arm_starter(system_clock(), TARE_BIN_DIR, logs.path(), options)) {}

  Result<std::unique_ptr<StartedArm>> start(const Manifest& manifest,
                                            const std::vector<std::string>& removed = {}) {
    return starter->start(manifest, removed, upstream);
  }
  std::unique_ptr<StartedArm> started(const Manifest& manifest) {
    auto arm = start(manifest);
    if (!arm) FAIL(arm.error().text());
    return std::move(*arm);
  }
  std::string output(const Manifest& manifest, int number = 1) const {
    return read_file(logs.path() / fmt::format("{}-r{}.out", manifest.name, number)).value();
  }
};

std::int64_t figure(const std::string& output, const std::string& name) {
  const auto at = output.find(name + " ");
  REQUIRE(at != std::string::npos);
  return std::stoll(output.substr(at + name.size() + 1));
}

}  // namespace

TEST_CASE("an arm's environment is PATH, HOME and what its manifest says") {
  Bench bench;
  auto manifest = test::shape({"environment"});
  manifest.environment = {{"UP", "{upstream}"}, {"TELEMETRY", "on"}};
  manifest.forced_environment = {{"TELEMETRY", "off"}};
  auto arm = bench.started(manifest);
  const auto state = (*arm).argv().back();
  std::vector<std::string> names;
  std::istringstream lines(bench.output(manifest));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) names.push_back(line.substr(0, line.find('=')));
  CHECK(names == std::vector<std::string>{"HOME", "PATH", "TELEMETRY", "UP"});
  CHECK_THAT(bench.output(manifest), Contains("TELEMETRY=off\n"));
  CHECK_THAT(bench.output(manifest), Contains(fmt::format("UP={}\n", upstream)));
}

TEST_CASE("each start has a state folder of its own, which is gone after the stop") {
  Bench bench;
  auto manifest = test::shape({"wait", "{state}"});
  auto first = bench.started(manifest);
  auto second = bench.started(manifest);
  const std::filesystem::path state = first->argv().back();
  CHECK(std::filesystem::is_directory(state));
  CHECK(first->argv() != second->argv());
  first->stop();
  CHECK_FALSE(std::filesystem::exists(state));
  CHECK(std::filesystem::is_directory(second->argv().back()));
}

TEST_CASE("a kept state folder lives on from start to start, an arm's own") {
  test::TemporaryFolder folder;
  StarterOptions options;
  options.kept_state = folder / "state";
  Bench bench(options);
  Manifest manifest;
  manifest.command = {"/bin/sh", "-c",
                      "echo start >> starts; echo http://127.0.0.1:1; cat starts; exec sleep 600"};
  manifest.ready.stdout_line = true;
  manifest.ready.within_s = 120;
  const auto starts_of = [&](const char* name) {
    manifest.name = name;
    bench.started(manifest)->stop();
    return read_file(folder / "state" / name / "starts").value_or("");
  };
  CHECK(starts_of("one") == "start\n");
  CHECK(starts_of("one") == "start\nstart\n");
  CHECK(starts_of("one-twin") == "start\n");
  bench.starter.reset();
  CHECK(std::filesystem::exists(folder / "state/one/starts"));  // the caller's to remove
}

TEST_CASE("a configuration is filled in and given by its path") {
  Bench bench;
  test::TemporaryFolder folder;
  REQUIRE(write_file(folder / "arm.conf.in", "to {upstream}; {other}\n"));
  auto manifest = test::shape({"wait", "{config}"});
  manifest.folder = folder.path();
  manifest.config_template = "arm.conf.in";
  auto arm = bench.started(manifest);
  CHECK(read_file(arm->argv().back()).value() == fmt::format("to {}; {{other}}\n", upstream));
}

TEST_CASE("a plan can take words out of the command, but only such as are there") {
  Bench bench;
  const auto manifest = test::shape({"wait", "--no-limit", "{state}"});
  auto arm = bench.start(manifest, {"--no-limit"});
  REQUIRE(arm);
  CHECK((*arm)->argv().size() == 3);
  const auto wrong = bench.start(manifest, {"--nolimit"});
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().code == Error::Code::usage);
  CHECK_THAT(wrong.error().message, Contains("\"--nolimit\""));
  const auto empty = bench.start(manifest, manifest.command);
  REQUIRE_FALSE(empty);
  CHECK(empty.error().code == Error::Code::usage);
}

TEST_CASE("the times of a start are in order, and its base URL is the line it printed") {
  Bench bench;
  auto arm = bench.started(test::shape({"wait"}));
  CHECK(arm->base_url() == "http://127.0.0.1:1");
  CHECK(arm->began_ns() < arm->ready_ns());
  const auto report = arm->stop();
  CHECK(arm->ready_ns() < report.ended_ns);
  CHECK(report.exit_code == 0);
  CHECK_FALSE(report.killed);
  CHECK(report.events.empty());
  CHECK_FALSE(report.fault);
}

TEST_CASE("an arm whose first line is no base URL on loopback is refused with that line") {
  const std::string line =
      GENERATE(as<std::string>(), "ready", "http://192.0.2.1:80", "http://localhost.example:80",
               "http://127.0.0.1:80@192.0.2.1", "http://127.0.0.1:");
  Bench bench;
  auto manifest = test::shape({"wait"});
  manifest.command = {"sh", "-c", "echo '" + line + "'; exec sleep 600"};
  const auto arm = bench.start(manifest);
  REQUIRE_FALSE(arm);
  CHECK(arm.error().code == Error::Code::invalid);
  CHECK_THAT(arm.error().message, Contains("\"" + line + "\""));
  CHECK(cgroups_left() == 0);
}

TEST_CASE("an arm that ends before it is ready is an error with its last words") {
  Bench bench;
  const auto arm = bench.start(test::shape({"fail", "no licence\nfound"}));
  REQUIRE_FALSE(arm);
  CHECK(arm.error().code == Error::Code::crashed);
  CHECK(arm.error().message ==
        "arm shape-fail: not ready: ended with exit code 3: no licence | found");
  CHECK(cgroups_left() == 0);
}

TEST_CASE("an arm that hangs at its start is given up after its time, and killed") {
  Bench bench({.stop_grace = 100ms});
  auto manifest = test::shape({"hang"});
  manifest.ready.within_s = 1;
  const auto arm = bench.start(manifest);
  REQUIRE_FALSE(arm);
  CHECK(arm.error().code == Error::Code::timed_out);
  CHECK_THAT(arm.error().message, StartsWith("arm shape-hang: not ready after 1 s"));
  CHECK(descendants(::getpid()).empty());
  CHECK(cgroups_left() == 0);
}

TEST_CASE("an arm whose program is not there is an error that names both") {
  Bench bench;
  auto manifest = test::shape({"wait"});
  manifest.command = {"no-such-program-of-ours"};
  const auto arm = bench.start(manifest);
  REQUIRE_FALSE(arm);
  CHECK(arm.error().code == Error::Code::missing);
  CHECK(arm.error().message == "arm shape-wait: no-such-program-of-ours: no such program");
  CHECK(cgroups_left() == 0);
}

TEST_CASE("without its guard no arm is started") {
  test::TemporaryFolder empty;
  auto starter = make_arm_starter(system_clock(), empty.path(), empty / "logs");
  const auto arm = starter->start(test::shape({"wait"}), {}, upstream);
  REQUIRE_FALSE(arm);
  CHECK(arm.error().code == Error::Code::missing);
  CHECK_THAT(arm.error().message, Contains("tare-guard"));
}

TEST_CASE("a log folder that cannot be made is an error that names it") {
  test::TemporaryFolder folder;
  REQUIRE(write_file(folder / "file", ""));
  auto starter = make_arm_starter(system_clock(), TARE_BIN_DIR, folder / "file/logs");
  const auto arm = starter->start(test::shape({"wait"}), {}, upstream);
  REQUIRE_FALSE(arm);
  CHECK_THAT(arm.error().message, Contains("file/logs"));
}

TEST_CASE("a port taken by another program costs one more try") {
  Bench bench;
  test::TemporaryFolder folder;
  auto manifest = test::shape({"busy-once", (folder / "marker").string(), "{port}"});
  manifest.ready.stdout_line = false;
  manifest.ready.tcp = true;
  manifest.base_url = "http://127.0.0.1:{port}/base";
  auto arm = bench.started(manifest);
  CHECK(arm->base_url() == fmt::format("http://127.0.0.1:{}/base", arm->argv().back()));
}

TEST_CASE("an arm that finds no free port at all is an error with its words") {
  Bench bench;
  auto manifest = test::shape({"fail", "Address already in use"});
  manifest.ready.stdout_line = false;
  manifest.ready.tcp = true;
  const auto arm = bench.start(manifest);
  REQUIRE_FALSE(arm);
  CHECK(arm.error().code == Error::Code::crashed);
  CHECK_THAT(arm.error().message, Contains("Address already in use"));
}

TEST_CASE("an arm that ends by itself is known to be gone, with its end") {
  Bench bench;
  auto arm = bench.started(test::shape({"end"}));
  while (!arm->gone()) std::this_thread::sleep_for(5ms);
  CHECK(arm->gone() == "ended with exit code 4: http://127.0.0.1:1");
  const auto report = arm->stop();
  CHECK(report.exit_code == 4);
  CHECK_FALSE(report.killed);
}

TEST_CASE("an arm that does not listen to SIGTERM is killed after the grace time") {
  Bench bench({.stop_grace = 100ms});
  auto arm = bench.started(test::shape({"ignore"}));
  const auto report = arm->stop();
  CHECK(report.killed);
  CHECK(report.exit_signal == SIGKILL);
  CHECK_FALSE(report.exit_code);
}

TEST_CASE("a process that outlives its arm is counted, said and killed") {
  for (const bool use_cgroups : {true, false}) {
    Bench bench({.use_cgroups = use_cgroups});
    const auto manifest = test::shape({"leave"});
    auto arm = bench.started(manifest);
    const auto daemon = static_cast<pid_t>(figure(bench.output(manifest), "pid"));
    CHECK(runs(daemon));
    const auto report = arm->stop();
    CHECK(report.leaked_processes == 1);
    REQUIRE(report.events.size() == 1);
    CHECK_THAT(report.events[0], StartsWith("leaked_processes: 1 "));
    CHECK_FALSE(runs(daemon));
  }
}

TEST_CASE("an arm that is dropped without a stop leaves nothing behind") {
  Bench bench;
  const auto manifest = test::shape({"leave", "{state}"});
  std::filesystem::path state;
  {
    auto arm = bench.started(manifest);
    state = arm->argv().back();
  }
  CHECK(goes_away(static_cast<pid_t>(figure(bench.output(manifest), "pid"))));
  CHECK(descendants(::getpid()).empty());
  CHECK_FALSE(std::filesystem::exists(state));
  CHECK(cgroups_left() == 0);
}

TEST_CASE("a harness that is killed leaves no process, cgroup or state folder behind") {
  for (const char* shape : {"wait", "leave", "ignore", "memory"}) {
    test::TemporaryFolder folder;
    SubprocessOptions options;
    options.argv = {TARE_SUPPORT_DIR "/start_arm", TARE_BIN_DIR, TARE_SUPPORT_DIR "/shapes", shape};
    options.stdout_file = folder / "out";
    auto harness = Subprocess::start(options);
    REQUIRE(harness);
    std::string line;
    while (!line.ends_with('\n')) {
      REQUIRE_FALSE(harness->wait(5ms));
      line = read_file(folder / "out").value();
    }
    std::istringstream words(line);
    std::string state;
    words >> state;
    std::vector<pid_t> pids;
    for (pid_t pid = 0; words >> pid;) pids.push_back(pid);
    REQUIRE(pids.size() >= 2);
    REQUIRE(std::filesystem::is_directory(state));

    harness->signal(SIGKILL);
    REQUIRE(harness->wait(60s));
    for (const pid_t pid : pids) CHECK(goes_away(pid));
    CHECK_FALSE(std::filesystem::exists(state));
    for (const auto& parent : {own_cgroups().cpu, own_cgroups().memory}) {
      if (parent.empty()) continue;
      for (const auto& entry : std::filesystem::directory_iterator(parent)) {
        CHECK_THAT(entry.path().filename().string(),
                   !StartsWith(fmt::format("tare-{}-", harness->pid())));
      }
    }
  }
}

TEST_CASE("a guard that is killed takes the arm with it, and the stop says so") {
  Bench bench;
  auto arm = bench.started(test::shape({"wait"}));
  const auto pids = descendants(::getpid());
  REQUIRE(pids.size() == 2);
  ::kill(pids[0], SIGKILL);
  const auto report = arm->stop();
  REQUIRE(report.fault);
  CHECK_THAT(*report.fault, StartsWith("tare-guard is gone"));
  for (const pid_t pid : pids) CHECK(goes_away(pid));
  arm.reset();
  CHECK(cgroups_left() == 0);
}

TEST_CASE("a reading after work holds more CPU, and private memory is within the anonymous") {
  for (const bool use_cgroups : {true, false}) {
    Bench bench({.use_cgroups = use_cgroups});
    const auto manifest = test::shape({"memory"});
    auto arm = bench.started(manifest);
    const auto truth = double(figure(bench.output(manifest), "bytes"));
    const auto reading = arm->read();
    CHECK(reading.time_ns > arm->ready_ns());
    CHECK(reading.cpu_us.value() > 0);
    CHECK(double(reading.anon_bytes.value()) == Approx(truth).epsilon(0.05));
    // 32 MiB of each worker, and what the root has that no worker sees any more.
    CHECK(double(arm->private_bytes().value()) > 4 * 32.0 * 1024 * 1024);
    CHECK(double(arm->private_bytes().value()) < 1.05 * truth);
    const auto report = arm->stop();
    CHECK(report.rusage_total_us.value() > 0);
    if (!use_cgroups) {
      CHECK(report.grade == 'B');
      CHECK_FALSE(report.cpu_total_us);
      CHECK_FALSE(report.peak_bytes);
    }
  }
}

TEST_CASE(
    "without cgroups the CPU of living, ended and orphaned processes is seen when waited for") {
  for (const char* name : {"waited", "double-forked", "threads"}) {
    Bench bench({.use_cgroups = false});
    const auto manifest = test::shape({name});
    auto arm = bench.started(manifest);
    const auto truth = figure(bench.output(manifest), "cpu_us");
    const auto reading = arm->read();
    CHECK(reading.cpu_us.value() >= truth * 98 / 100 - 20'000);  // sums are cut to 10 ms
    CHECK(reading.cpu_us.value() <= truth * 120 / 100);
    const auto report = arm->stop();
    CHECK(report.rusage_total_us.value() >= truth * 98 / 100);
    CHECK(report.grade == 'B');
  }
}

TEST_CASE("two arms that run side by side are measured apart") {
  Bench bench;
  auto busy = bench.started(test::shape({"threads"}));
  auto idle = bench.started(test::shape({"wait"}));
  CHECK(busy->read().cpu_us.value() > 800'000);
  CHECK(idle->read().cpu_us.value() < 200'000);
  CHECK(idle->stop().exit_code == 0);
  CHECK(busy->stop().exit_code == 0);
}

TEST_CASE("a direct way has no process and no readings") {
  Bench bench;
  Manifest manifest;
  manifest.name = "direct";
  manifest.kind = ArmKind::direct;
  auto arm = bench.started(manifest);
  CHECK(arm->base_url() == upstream);
  CHECK(arm->argv().empty());
  CHECK_FALSE(arm->read().cpu_us);
  CHECK_FALSE(arm->private_bytes());
  CHECK_FALSE(arm->gone());
  CHECK_FALSE(arm->stop().grade);
}

TEST_CASE("a sampler reads beside the arm's owner and gives its readings in order") {
  Bench bench;
  auto arm = bench.started(test::shape({"wait"}));
  Sampler sampler;
  sampler.start([&] { return arm->sample(); }, 1ms);
  for (int i = 0; i < 50; ++i) {
    arm->read();
    arm->private_bytes();
  }
  const auto readings = sampler.stop();
  REQUIRE_FALSE(readings.empty());
  for (std::size_t i = 1; i < readings.size(); ++i) {
    CHECK(readings[i - 1].time_ns <= readings[i].time_ns);
    CHECK(readings[i - 1].cpu_us <= readings[i].cpu_us);
  }
  CHECK(sampler.stop().empty());
}

}  // namespace tare::harness
