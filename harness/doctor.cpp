#include "harness/doctor.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <optional>
#include <string_view>

#include "common/files.h"
#include "harness/arm_process.h"
#include "harness/cgroup.h"
#include "harness/machine.h"
#include "harness/system_files.h"

namespace tare::harness {
namespace {

namespace fs = std::filesystem;
using State = Finding::State;

double gib(std::uint64_t bytes) {
  return static_cast<double>(bytes) / (1024.0 * 1024.0 * 1024.0);
}

double us(std::int64_t ns) {
  return static_cast<double>(ns) / 1000.0;
}

Finding two_state(std::string topic, const std::optional<std::string>& value,
                  std::string_view wanted, std::string why, std::string remedy) {
  if (!value) return {State::unknown, std::move(topic), "not readable here", ""};
  if (*value == wanted) return {State::good, std::move(topic), *value, ""};
  return {State::limited, std::move(topic), fmt::format("{}: {}", *value, why), std::move(remedy)};
}

Finding turbo(const fs::path& cpu) {
  constexpr const char* why = "on: the clock rate follows heat and load";
  if (const auto off = first_line_of(cpu / "intel_pstate/no_turbo")) {
    if (*off == "1") return {State::good, "turbo", "off", ""};
    return {State::limited, "turbo", why,
            "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo"};
  }
  if (const auto boost = first_line_of(cpu / "cpufreq/boost")) {
    if (*boost == "0") return {State::good, "turbo", "off", ""};
    return {State::limited, "turbo", why,
            "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost"};
  }
  return {State::unknown, "turbo", "not readable here", ""};
}

Finding smt(const fs::path& cpu) {
  const auto active = first_line_of(cpu / "smt/active");
  if (!active) return {State::unknown, "SMT", "not readable here", ""};
  if (*active == "0") return {State::good, "SMT", "off", ""};
  return {State::limited, "SMT", "on: two programs can share one core's units",
          "echo off | sudo tee /sys/devices/system/cpu/smt/control"};
}

Finding huge_pages(const fs::path& root) {
  const auto mode = chosen_of(root / "sys/kernel/mm/transparent_hugepage/enabled");
  if (!mode) return {State::unknown, "huge pages", "not readable here", ""};
  if (*mode != "always") return {State::good, "huge pages", *mode, ""};
  return {State::limited, "huge pages", "always: memory grows in steps of 2 MiB",
          "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled"};
}

Finding address_layout(const fs::path& root) {
  const auto mode = first_line_of(root / "proc/sys/kernel/randomize_va_space");
  if (!mode) return {State::unknown, "address layout", "not readable here", ""};
  // Each fresh start draws a new layout, so that no single one decides a comparison.
  if (*mode != "0") return {State::good, "address layout", "random, as it should be", ""};
  return {State::limited, "address layout", "fixed: one layout's luck decides every start",
          "echo 2 | sudo tee /proc/sys/kernel/randomize_va_space"};
}

Finding swap(const fs::path& root) {
  const auto swaps = read_file(root / "proc/swaps");
  if (!swaps) return {State::unknown, "swap", "not readable here", ""};
  if (std::count(swaps->begin(), swaps->end(), '\n') < 2) return {State::good, "swap", "none", ""};
  return {State::limited, "swap", "in use: memory that is swapped out is not counted",
          "sudo swapoff -a"};
}

Finding disk(std::string topic, const fs::path& folder) {
  struct statvfs facts{};
  if (::statvfs(folder.c_str(), &facts) != 0) {
    return {State::limited, std::move(topic),
            fmt::format("{}: {}", folder.string(), strerrordesc_np(errno)), "name another folder"};
  }
  const auto free_bytes = std::uint64_t{facts.f_bavail} * facts.f_frsize;
  const auto text = fmt::format("{:.1f} GiB free in {}", gib(free_bytes), folder.string());
  if (::access(folder.c_str(), W_OK) != 0) {
    return {State::limited, std::move(topic), text + ", not writable", "name another folder"};
  }
  if (gib(free_bytes) < 1) return {State::limited, std::move(topic), text, "free some space"};
  return {State::good, std::move(topic), text, ""};
}

Finding resource_limit(std::string topic, __rlimit_resource resource, rlim_t wanted,
                       std::string_view flag) {
  rlimit limit{};
  ::getrlimit(resource, &limit);
  if (limit.rlim_cur == RLIM_INFINITY) return {State::good, std::move(topic), "unlimited", ""};
  if (limit.rlim_cur >= wanted) {
    return {State::good, std::move(topic), fmt::format("{}", limit.rlim_cur), ""};
  }
  return {State::limited, std::move(topic), fmt::format("{}", limit.rlim_cur),
          fmt::format("ulimit -{} {}", flag, wanted)};
}

}  // namespace

double spread(std::span<const std::int64_t> durations_ns) {
  std::vector<std::int64_t> sorted(durations_ns.begin(), durations_ns.end());
  std::sort(sorted.begin(), sorted.end());
  const auto median = sorted[sorted.size() / 2];
  const auto p95 = sorted[sorted.size() * 95 / 100];
  return median == 0 ? 0 : static_cast<double>(p95 - median) / static_cast<double>(median);
}

std::vector<Finding> examine_meters() {
  const auto meters = probe_meters();
  std::vector<Finding> findings{{meters.grade == 'A' ? State::good : State::limited,
                                 "CPU and memory",
                                 fmt::format("grade {}: {}", meters.grade, meters.where), ""}};
  for (const auto& limit : meters.limits) {
    const auto command = limit.find("; start with: ");
    findings.push_back({State::limited, "", limit.substr(0, command),
                        command == std::string::npos ? "" : limit.substr(command + 14)});
  }
  if (own_cgroups().memory.empty()) return findings;
  auto cgroup = Cgroup::make(own_cgroups(), fmt::format("tare-doctor-{}", ::getpid()));
  if (!cgroup) {
    findings.push_back({State::limited, "", cgroup.error().text(), ""});
    return findings;
  }
  if (cgroup->reset_peak()) {
    findings.push_back({State::good, "peak memory", "since the warm-up", ""});
  } else {
    findings.push_back(
        {State::limited, "peak memory", "since the start: cannot be reset", "Linux 6.12 or newer"});
  }
  [[maybe_unused]] const auto removed = cgroup->remove();
  return findings;
}

std::vector<Finding> examine_clock(Clock& clock) {
  timespec resolution{};
  ::clock_getres(CLOCK_MONOTONIC, &resolution);
  constexpr int reads = 10'000;
  const auto begin_ns = clock.monotonic_ns();
  for (int i = 0; i < reads; ++i) clock.monotonic_ns();
  const auto read_ns = (clock.monotonic_ns() - begin_ns) / reads;
  const auto source =
      first_line_of("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  Finding time{State::good, "clock",
               fmt::format("{}, resolution {} ns, {} ns a reading",
                           source.value_or("unknown source"), resolution.tv_nsec, read_ns),
               ""};
  if (read_ns > 500) {
    time.state = State::limited;
    time.remedy =
        "echo tsc | sudo tee "
        "/sys/devices/system/clocksource/clocksource0/current_clocksource";
  }
  std::array<std::int64_t, 51> late_ns;
  for (auto& late : late_ns) {
    const auto until = clock.monotonic_ns() + 500'000;
    clock.sleep_until_ns(until);
    late = clock.monotonic_ns() - until;
  }
  std::sort(late_ns.begin(), late_ns.end());
  return {time,
          {State::good, "sleeping",
           fmt::format("{:.0f} us late (median), {:.0f} us at worst",
                       us(late_ns[late_ns.size() / 2]), us(late_ns.back())),
           ""}};
}

std::vector<Finding> examine_noise(Clock& clock) {
  constexpr double calm = 0.05;
  constexpr double calm_steal = 0.01;
  constexpr double calm_foreign = 0.20;
  const auto machine = make_machine(clock);
  std::array<std::int64_t, 100> durations_ns;
  const auto before = machine->read();
  for (auto& duration : durations_ns) duration = machine->canary_ns();
  const auto after = machine->read();
  std::vector<Finding> findings;
  const double wide = spread(durations_ns);
  const auto worst = *std::max_element(durations_ns.begin(), durations_ns.end());
  findings.push_back(
      {wide <= calm ? State::good : State::limited, "noise",
       fmt::format("a fixed loop, {} times: 95th percentile {:.1f} % over the "
                   "median, worst {:.0f} us",
                   durations_ns.size(), 100 * wide, us(worst)),
       wide <= calm ? "" : "stop other programs; on a shared machine run more rounds"});
  const double share = steal_share(before, after).value_or(0);
  findings.push_back({share <= calm_steal ? State::good : State::limited, "steal",
                      fmt::format("{:.1f} % of the CPU time went to other machines", 100 * share),
                      share <= calm_steal ? "" : "a host of your own, or a quieter hour"});
  const double foreign = foreign_cpu_share(before, after, ::getpid()).value_or(0);
  const bool is_quiet = wide <= calm && share <= calm_steal && foreign <= calm_foreign;
  findings.push_back(
      {is_quiet ? State::good : State::limited, "machine",
       fmt::format("{}: loop {:.1f} % (quiet up to 5 %), steal {:.1f} % (1 %), busiest other "
                   "program {:.0f} % of a CPU (20 %)",
                   is_quiet ? "quiet" : "noisy", 100 * wide, 100 * share, 100 * foreign),
       is_quiet ? "" : "on a noisy machine nothing is claimed below the twin's resolution"});

  double load = 0;
  ::getloadavg(&load, 1);
  const auto cores = ::sysconf(_SC_NPROCESSORS_ONLN);
  const bool quiet = load < 0.5;
  findings.push_back({quiet ? State::good : State::limited, "load",
                      fmt::format("{:.2f} in the last minute, {} cores", load, cores),
                      quiet ? "" : "stop other programs (see: top)"});
  if (cores < 2) {
    findings.push_back({State::limited, "cores", "client, arm and upstream share one core",
                        "a machine with two or more"});
  }
  return findings;
}

std::vector<Finding> examine_settings(const fs::path& root) {
  const fs::path cpu = root / "sys/devices/system/cpu";
  return {
      two_state("CPU governor", first_line_of(cpu / "cpu0/cpufreq/scaling_governor"), "performance",
                "figures move with the clock rate", "sudo cpupower frequency-set -g performance"),
      turbo(cpu),
      smt(cpu),
      address_layout(root),
      huge_pages(root),
      swap(root)};
}

std::vector<Finding> examine_limits(const fs::path& output) {
  std::error_code ignored;
  return {resource_limit("open files", RLIMIT_NOFILE, 1024, "n"),
          resource_limit("processes", RLIMIT_NPROC, 1024, "u"), disk("runs", output),
          disk("state folders", fs::temp_directory_path(ignored))};
}

std::vector<Finding> examine(Clock& clock, const fs::path& output) {
  std::vector<Finding> all;
  for (auto part : {examine_meters(), examine_clock(clock), examine_noise(clock),
                    examine_settings("/"), examine_limits(output)}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace tare::harness
