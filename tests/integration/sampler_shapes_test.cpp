// The four process shapes of docs/decisions.md, "Measuring a process tree": what a process tree
// says it used against what is measured. CPU against CPU: nothing here depends on how long it
// takes.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <charconv>
#include <string>

#include "tests/support/arms.h"

namespace tare::harness {
namespace {

std::int64_t figure(const std::filesystem::path& output, std::string_view name) {
  const auto text = read_file(output).value();
  const auto at = text.find(std::string(name) + " ");
  REQUIRE(at != std::string::npos);
  std::int64_t value = 0;
  std::from_chars(text.data() + at + name.size() + 1, text.data() + text.size(), value);
  return value;
}

// Whether figures by cgroup can be had here; says so where they cannot.
bool graded_a() {
  const auto meters = probe_meters();
  if (meters.grade == 'A') return true;
  WARN("not checked: this machine's measuring grade is " << meters.grade << " (" << meters.where
                                                         << ")");
  for (const auto& limit : meters.limits) WARN(limit);
  return false;
}

struct Measured {
  std::int64_t true_cpu_us;
  std::int64_t cpu_at_ready_us;
  StopReport end;
};

Measured measure(const std::string& shape) {
  const test::TemporaryFolder logs;
  auto starter = make_arm_starter(system_clock(), TARE_BIN_DIR, logs.path());
  auto arm = starter->start(test::shape({shape}), {}, "http://127.0.0.1:1");
  REQUIRE(arm.has_value());
  const auto reading = (*arm)->read();
  Measured measured{figure(logs.path() / fmt::format("shape-{}-r1.out", shape), "cpu_us"),
                    reading.cpu_us.value(), (*arm)->stop()};
  WARN(fmt::format("{}: true {} us, cgroup {} us ({:.1f} %), wait4 {} us, grade {}", shape,
                   measured.true_cpu_us, measured.cpu_at_ready_us,
                   100.0 * double(measured.cpu_at_ready_us) / double(measured.true_cpu_us),
                   measured.end.rusage_total_us.value_or(-1), measured.end.grade.value_or('-')));
  return measured;
}

void check_seen(const Measured& measured) {
  CHECK(measured.cpu_at_ready_us >= measured.true_cpu_us * 98 / 100);
  CHECK(measured.cpu_at_ready_us <= measured.true_cpu_us * 115 / 100);
  CHECK(measured.end.exit_code == 0);
  CHECK(measured.end.leaked_processes == 0);
  CHECK_FALSE(measured.end.fault.has_value());
}

}  // namespace

TEST_CASE("the CPU of children that are waited for is seen") {
  if (!graded_a()) return;
  const auto measured = measure("waited");
  check_seen(measured);
  CHECK(measured.end.grade == 'A');
}

TEST_CASE("the CPU of children that the kernel reaps is seen, and that nobody waited is said") {
  if (!graded_a()) return;
  const auto measured = measure("auto-reaped");
  check_seen(measured);
  CHECK(measured.end.grade == 'B');
  REQUIRE(measured.end.events.size() == 1);
  CHECK_THAT(measured.end.events[0], Catch::StartsWith("unreaped_children: "));
}

TEST_CASE("the CPU of orphans is seen") {
  if (!graded_a()) return;
  const auto measured = measure("double-forked");
  check_seen(measured);
  CHECK(measured.end.grade == 'A');
}

TEST_CASE("the CPU of threads that have ended is seen") {
  if (!graded_a()) return;
  const auto measured = measure("threads");
  check_seen(measured);
  CHECK(measured.end.grade == 'A');
}

TEST_CASE("memory that forked workers share is counted once, what they write for each") {
  const test::TemporaryFolder logs;
  auto starter = make_arm_starter(system_clock(), TARE_BIN_DIR, logs.path());
  auto arm = starter->start(test::shape({"memory"}), {}, "http://127.0.0.1:1");
  REQUIRE(arm.has_value());
  const auto truth = double(figure(logs.path() / "shape-memory-r1.out", "bytes"));
  const auto reading = (*arm)->read();
  CHECK(double(reading.anon_bytes.value()) == Approx(truth).epsilon(0.05));
  const auto end = (*arm)->stop();
  if (graded_a()) CHECK(double(end.peak_bytes.value()) >= 0.95 * truth);
  CHECK(end.leaked_processes == 0);
}

}  // namespace tare::harness
