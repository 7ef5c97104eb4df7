#include "harness/doctor.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

#include "tests/support/temporary_folder.h"

namespace tare::harness {
namespace {

using State = Finding::State;

void put(const test::TemporaryFolder& root, std::string_view file, std::string_view text) {
  REQUIRE(make_directories((root / file).parent_path()));
  REQUIRE(write_file(root / file, text));
}

Finding about(const std::vector<Finding>& findings, std::string_view topic) {
  const auto found = std::find_if(findings.begin(), findings.end(),
                                  [&](const Finding& finding) { return finding.topic == topic; });
  REQUIRE(found != findings.end());
  return *found;
}

// Whatever the machine: a limit comes with what would better it.
void check_remedies(const std::vector<Finding>& findings) {
  for (const auto& finding : findings) {
    INFO(finding.topic << ": " << finding.text);
    CHECK_FALSE(finding.text.empty());
    if (finding.state == State::good) CHECK(finding.remedy.empty());
  }
}

}  // namespace

TEST_CASE("a machine whose settings cannot be read is not said to be bad") {
  const test::TemporaryFolder root;
  const auto findings = examine_settings(root.path());
  CHECK(findings.size() == 6);
  for (const auto& finding : findings) CHECK(finding.state == State::unknown);
}

TEST_CASE("settings that move figures are named with the command against them") {
  const test::TemporaryFolder root;
  put(root, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  put(root, "sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
  put(root, "sys/devices/system/cpu/smt/active", "1\n");
  put(root, "sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
  put(root, "proc/sys/kernel/randomize_va_space", "0\n");
  put(root, "proc/swaps", "Filename Type Size Used Priority\n/dev/sdb partition 1 0 -2\n");
  const auto findings = examine_settings(root.path());
  for (const auto& finding : findings) {
    CHECK(finding.state == State::limited);
    CHECK_FALSE(finding.remedy.empty());
  }
  CHECK(about(findings, "CPU governor").text == "powersave: figures move with the clock rate");
}

TEST_CASE("good settings are said to be good") {
  const test::TemporaryFolder root;
  put(root, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
  put(root, "sys/devices/system/cpu/cpufreq/boost", "0\n");
  put(root, "sys/devices/system/cpu/smt/active", "0\n");
  put(root, "sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  put(root, "proc/sys/kernel/randomize_va_space", "2\n");
  put(root, "proc/swaps", "Filename Type Size Used Priority\n");
  for (const auto& finding : examine_settings(root.path())) CHECK(finding.state == State::good);
}

TEST_CASE("spread is how far the 95th percentile lies above the median") {
  std::vector<std::int64_t> durations(100, 1000);
  CHECK(spread(durations) == 0);
  std::fill(durations.begin() + 90, durations.end(), 1500);
  CHECK(spread(durations) == Approx(0.5));
  std::iota(durations.begin(), durations.end(), 950);
  CHECK(spread(durations) == Approx(0.045));
}

TEST_CASE("every part finds something here, each limit with its remedy") {
  check_remedies(examine_meters());
  check_remedies(examine_clock(system_clock()));
  check_remedies(examine_noise(system_clock()));
  check_remedies(examine_settings("/"));
  check_remedies(examine_limits("."));
}

TEST_CASE("an output folder that is not there is a limit that names it") {
  const auto finding = about(examine_limits("/no/such/folder"), "runs");
  CHECK(finding.state == State::limited);
  CHECK_THAT(finding.text, Catch::StartsWith("/no/such/folder: No such file"));
}

}  // namespace tare::harness
