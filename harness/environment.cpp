#include "harness/environment.h"

#include <sched.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include <cstdlib>
#include <string_view>

#include "common/clock.h"
#include "common/files.h"
#include "harness/arm_process.h"
#include "harness/machine.h"
#include "harness/system_files.h"

namespace tare::harness {
namespace {

// The value of the first line "KEY<separator>VALUE" of a file; empty when there is none.
std::string value_in_file(const char* path, std::string_view key, char separator) {
  const auto text = read_file(path);
  if (!text) return {};
  for (std::size_t begin = 0; begin < text->size();) {
    const auto end = std::min(text->find('\n', begin), text->size());
    std::string_view line(text->data() + begin, end - begin);
    begin = end + 1;
    const auto at = line.find(separator);
    if (at == line.npos || !line.starts_with(key)) continue;
    line.remove_prefix(at + 1);
    while (!line.empty() && (line.front() == ' ' || line.front() == '"')) line.remove_prefix(1);
    while (!line.empty() && line.back() == '"') line.remove_suffix(1);
    return std::string(line);
  }
  return {};
}

// "on" or "off", where a file's first line is "1" or "0"; `on` is the line that says on.
std::optional<std::string> switch_of(const char* path, std::string_view on) {
  const auto line = first_line_of(path);
  if (!line) return std::nullopt;
  return *line == on ? "on" : "off";
}

// Those that programs choose their code by.
std::vector<std::string> flags_of_interest() {
  const std::string all = value_in_file("/proc/cpuinfo", "flags", ':') + " ";
  std::vector<std::string> present;
  for (const char* flag : {"sse4_2", "avx", "avx2", "avx512f", "aes", "sha_ni", "bmi2", "vaes",
                           "hypervisor", "constant_tsc", "nonstop_tsc"}) {
    if (all.find(" " + std::string(flag) + " ") != std::string::npos ||
        all.starts_with(std::string(flag) + " ")) {
      present.emplace_back(flag);
    }
  }
  return present;
}

}  // namespace

Environment audit_environment() {
  Environment environment;
  utsname names{};
  if (::uname(&names) == 0) {
    environment.kernel = std::string(names.sysname) + " " + names.release + " " + names.machine;
  }
  environment.cpu_model = value_in_file("/proc/cpuinfo", "model name", ':');
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    environment.cores = CPU_COUNT(&allowed);
  }
  struct sysinfo memory{};
  if (::sysinfo(&memory) == 0) {
    environment.memory_bytes = static_cast<std::int64_t>(memory.totalram) * memory.mem_unit;
  }
  environment.distribution = value_in_file("/etc/os-release", "PRETTY_NAME", '=');
  environment.governor = first_line_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  environment.turbo = switch_of("/sys/devices/system/cpu/intel_pstate/no_turbo", "0");
  if (!environment.turbo) {
    environment.turbo = switch_of("/sys/devices/system/cpu/cpufreq/boost", "1");
  }
  environment.smt = switch_of("/sys/devices/system/cpu/smt/active", "1");
  environment.huge_pages = chosen_of("/sys/kernel/mm/transparent_hugepage/enabled");
  environment.steal_share = steal_share(MachineReading{}, make_machine(system_clock())->read());
  environment.cpu_flags = flags_of_interest();
  double load = 0;
  if (::getloadavg(&load, 1) == 1) environment.load_average = load;
  const MeterGrade meters = probe_meters();
  environment.cgroup_grade = meters.grade;
  environment.cgroup = meters.where;
  environment.limits = meters.limits;
  return environment;
}

}  // namespace tare::harness
