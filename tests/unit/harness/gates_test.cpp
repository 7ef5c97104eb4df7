#include "harness/gates.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "tests/support/temporary_folder.h"

using namespace tare;
using namespace tare::harness;
using Catch::Matchers::Contains;

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

Conditions calm() {
  return {.canary_begin_ns = 5'000'000,
          .canary_end_ns = 5'100'000,
          .steal_share = 0.0,
          .foreign_cpu_share = 0.02,
          .clock_step_ns = 0,
          .swap_bytes = 0};
}

std::optional<DiscardCause> cause(const Conditions& conditions) {
  const auto discard = gate(conditions, 5'000'000, 60 * second_ns);
  return discard ? std::optional(discard->cause) : std::nullopt;
}

MachineReading reading(std::int64_t time_s, std::vector<ProcessCpu> processes) {
  MachineReading reading;
  reading.monotonic_ns = time_s * second_ns;
  reading.processes = std::move(processes);
  return reading;
}

class ScriptedMachine final : public Machine {
 public:
  std::int64_t canary_ns() override { return canaries.at(canary++); }
  MachineReading read() override { return readings.at(at++); }
  std::vector<std::int64_t> canaries;
  std::vector<MachineReading> readings;
  std::size_t canary = 0;
  std::size_t at = 0;
};

}  // namespace

TEST_CASE("a round within the limits counts, one beyond is discarded by its cause") {
  CHECK_FALSE(cause(calm()));
  const auto with = [](auto change) {
    Conditions conditions = calm();
    change(conditions);
    return cause(conditions);
  };
  CHECK(with([](auto& c) { c.canary_begin_ns = 6'300'000; }) == DiscardCause::canary);
  CHECK(with([](auto& c) { c.canary_end_ns = 3'700'000; }) == DiscardCause::canary);
  CHECK(with([](auto& c) { c.steal_share = 0.051; }) == DiscardCause::steal);
  CHECK_FALSE(with([](auto& c) { c.steal_share = 0.05; }));
  CHECK(with([](auto& c) { c.foreign_cpu_share = 0.21; }) == DiscardCause::foreign_cpu);
  CHECK(with([](auto& c) { c.clock_step_ns = -80'000'000; }) == DiscardCause::clock_step);
  CHECK_FALSE(with([](auto& c) { c.clock_step_ns = 60'000'000; }));  // 1,000 ppm of a minute
  CHECK(with([](auto& c) { c.swap_bytes = 1'000'001; }) == DiscardCause::swap);
}

TEST_CASE("a moved clock is told, whatever else was gone over") {
  Conditions conditions = calm();
  conditions.canary_begin_ns *= 3;
  CHECK_FALSE(clock_step(conditions, 1'000'000'000));
  conditions.clock_step_ns = -3'600'000'000'000;
  const auto step = clock_step(conditions, 1'000'000'000);
  REQUIRE(step);
  CHECK(step->message == "the wall clock moved by -3600.000 s");
}

TEST_CASE("what cannot be measured discards nothing") {
  Conditions conditions = calm();
  conditions.steal_share.reset();
  conditions.foreign_cpu_share.reset();
  conditions.swap_bytes.reset();
  CHECK_FALSE(cause(conditions));
}

TEST_CASE("a discard says by how much") {
  Conditions conditions = calm();
  conditions.canary_end_ns = 10'000'000;
  const auto discard = gate(conditions, 5'000'000, second_ns);
  REQUIRE(discard);
  CHECK_THAT(discard->message, Contains("10.0 ms, +100 % from the usual 5.0 ms"));
}

TEST_CASE("the busiest foreign process is not ours nor below us") {
  const auto begin = reading(0, {{1, 0, 0}, {10, 1, 0}, {11, 10, 0}, {20, 1, 500'000}});
  const auto end = reading(
      10, {{1, 0, 0}, {10, 1, 9'000'000}, {11, 10, 9'000'000}, {20, 1, 2'500'000}, {30, 1, 100}});
  CHECK(*foreign_cpu_share(begin, end, 10) == Approx(0.2));
  CHECK(*foreign_cpu_share(begin, end, 999) == Approx(0.9));
  CHECK_FALSE(foreign_cpu_share(begin, begin, 10));
}

TEST_CASE("children that came and went count for who waited for them") {
  const auto begin = reading(0, {{20, 1, 1'000'000}});
  const auto end = reading(10, {{20, 1, 4'000'000}});
  CHECK(*foreign_cpu_share(begin, end, 10) == Approx(0.3));
}

TEST_CASE("what a child had used before the round is not the round's") {
  // 21 had used an hour of CPU when the round began; its parent inherits that when it ends.
  const auto begin =
      reading(0, {{20, 1, 1'000'000}, {21, 20, 3'600'000'000}, {22, 21, 10'000'000}});
  const auto end = reading(10, {{20, 1, 3'611'100'000}});
  CHECK(*foreign_cpu_share(begin, end, 10) == Approx(0.01));
}

TEST_CASE("a round's conditions are the differences of two readings, its usual loop a fast one") {
  ScriptedMachine machine;
  machine.canaries.assign(15, 5'000'000);
  machine.canaries[0] = 90'000'000;
  machine.canaries.push_back(5'500'000);
  machine.canaries.push_back(6'000'000);
  MachineReading begin;
  begin.monotonic_ns = 0;
  begin.wall_ns = 100 * second_ns;
  begin.cpu_ticks = 1000;
  begin.steal_ticks = 10;
  begin.swap_bytes = 4096;
  MachineReading end = begin;
  end.monotonic_ns = 10 * second_ns;
  end.wall_ns = 113 * second_ns;
  end.cpu_ticks = 3000;
  end.steal_ticks = 110;
  end.swap_bytes = 12288;
  machine.readings = {begin, end};
  RoundWatch watch(machine, 10);
  CHECK(watch.usual_canary_ns() == 5'000'000);
  watch.begin();
  const auto conditions = watch.end();
  CHECK(conditions.canary_begin_ns == 5'500'000);
  CHECK(conditions.canary_end_ns == 6'000'000);
  CHECK(*conditions.steal_share == Approx(0.05));
  CHECK(conditions.clock_step_ns == 3 * second_ns);
  CHECK(conditions.swap_bytes == 8192);
}

TEST_CASE("/proc is read as it is written") {
  const test::TemporaryFolder proc;
  const auto write = [&](const std::string& name, const std::string& text) {
    std::filesystem::create_directories((proc.path() / name).parent_path());
    std::ofstream(proc.path() / name) << text;
  };
  write("stat", "cpu  10 1 20 300 5 0 4 60 7 0\ncpu0 1 2 3\n");
  write("vmstat", "pgpgin 5\npswpin 3\npswpout 4\n");
  const std::string rest = " 1 0 -1 4194560 100 0 0 0 7 3 20 10 20 0 1 0 100 0 0";
  write("41/stat", "41 (a b) 9) S 7 41" + rest);
  write("42/stat", "42 (kworker) I 2 0" + rest);
  write("self/stat", "41 (x) S 7 41" + rest);
  const auto machine = make_machine(system_clock(), proc.path());
  const auto read = machine->read();
  CHECK(read.cpu_ticks == 400);
  CHECK(read.steal_ticks == 60);
  CHECK(read.swap_bytes == 7 * ::sysconf(_SC_PAGESIZE));
  REQUIRE(read.processes.size() == 1);
  CHECK(read.processes[0].pid == 41);
  CHECK(read.processes[0].parent == 7);
  CHECK(read.processes[0].cpu_us == 40 * 1'000'000 / ::sysconf(_SC_CLK_TCK));
  CHECK(machine->canary_ns() > 0);
}

TEST_CASE("this machine's /proc holds this process") {
  const auto read = make_machine(system_clock())->read();
  CHECK(std::ranges::any_of(read.processes,
                            [](const auto& process) { return process.pid == ::getpid(); }));
  CHECK(read.cpu_ticks > 0);
}
