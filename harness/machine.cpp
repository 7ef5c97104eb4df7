#include "harness/machine.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <string_view>

#include "common/files.h"

namespace tare::harness {
namespace {

namespace fs = std::filesystem;

constexpr pid_t kernel_threads = 2;  // their parent
constexpr int canary_rounds = 5'000'000;

// The whole numbers of a text, in order, from the first digit on.
std::vector<std::int64_t> numbers_in(std::string_view text) {
  std::vector<std::int64_t> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    std::int64_t value = 0;
    const auto [after, error] = std::from_chars(at, end, value);
    if (error == std::errc()) numbers.push_back(value);
    at = std::max(at + 1, std::find(after, end, ' '));
    while (at < end && *at == ' ') ++at;
  }
  return numbers;
}

std::string_view first_line(const std::string& text) {
  return std::string_view(text).substr(0, text.find('\n'));
}

// The number after a key that begins a line.
std::optional<std::int64_t> value_of(const std::string& text, std::string_view key) {
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at), ++at) {
    if (std::string_view(text).substr(at).starts_with(key)) {
      const auto numbers = numbers_in(first_line(text.substr(at + key.size())));
      return numbers.empty() ? std::nullopt : std::optional(numbers[0]);
    }
    if (text.find('\n', at) == std::string::npos) break;
  }
  return std::nullopt;
}

// /proc/PID/stat, of which the name in parentheses may hold anything.
std::optional<ProcessCpu> process_of(const std::string& stat, pid_t pid) {
  const auto name_end = stat.rfind(')');
  if (name_end == std::string::npos || name_end + 4 > stat.size()) return std::nullopt;
  // After the state: ppid is field 4, utime to cstime are 14 to 17.
  const auto fields = numbers_in(std::string_view(stat).substr(name_end + 4));
  if (fields.size() < 14) return std::nullopt;
  const auto ticks = fields[10] + fields[11] + fields[12] + fields[13];
  return ProcessCpu{pid, static_cast<pid_t>(fields[0]), ticks * 1'000'000 / ::sysconf(_SC_CLK_TCK)};
}

class ProcMachine final : public Machine {
 public:
  ProcMachine(Clock& clock, fs::path proc) : clock_(clock), proc_(std::move(proc)) {}

  std::int64_t canary_ns() override {
    const auto begin = clock_.monotonic_ns();
    volatile std::uint64_t state = 1;
    for (int i = 0; i < canary_rounds; ++i) state = state * 6'364'136'223'846'793'005u + 1;
    return clock_.monotonic_ns() - begin;
  }

  MachineReading read() override {
    MachineReading reading;
    reading.monotonic_ns = clock_.monotonic_ns();
    reading.wall_ns = clock_.wall_ns();
    if (const auto stat = read_file(proc_ / "stat")) {
      // User, nice, system, idle, iowait, irq, softirq, steal; guests are in user and nice.
      auto ticks = numbers_in(first_line(*stat).substr(std::min<std::size_t>(5, stat->size())));
      ticks.resize(8);
      for (const auto value : ticks) reading.cpu_ticks += value;
      reading.steal_ticks = ticks[7];
    }
    if (const auto counters = read_file(proc_ / "vmstat")) {
      const auto in = value_of(*counters, "pswpin ");
      const auto out = value_of(*counters, "pswpout ");
      if (in && out) reading.swap_bytes = (*in + *out) * ::sysconf(_SC_PAGESIZE);
    }
    std::error_code e;
    for (fs::directory_iterator it(proc_, e), end; !e && it != end; it.increment(e)) {
      const std::string name = it->path().filename();
      pid_t pid = 0;
      const auto [after, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
      if (error != std::errc() || after != name.data() + name.size()) continue;
      const auto stat = read_file(it->path() / "stat");
      const auto process = stat ? process_of(*stat, pid) : std::nullopt;
      if (!process || pid == kernel_threads || process->parent == kernel_threads) continue;
      reading.processes.push_back(*process);
    }
    return reading;
  }

 private:
  Clock& clock_;
  fs::path proc_;
};

using Processes = std::map<pid_t, ProcessCpu>;

Processes by_pid(const MachineReading& reading) {
  Processes all;
  for (const auto& process : reading.processes) all.emplace(process.pid, process);
  return all;
}

bool is_below(pid_t pid, pid_t ancestor, const Processes& all) {
  for (std::size_t steps = 0; steps <= all.size(); ++steps) {
    if (pid == ancestor) return true;
    const auto at = all.find(pid);
    if (at == all.end()) return false;
    pid = at->second.parent;
  }
  return false;
}

}  // namespace

std::unique_ptr<Machine> make_machine(Clock& clock, fs::path proc) {
  return std::make_unique<ProcMachine>(clock, std::move(proc));
}

std::optional<double> foreign_cpu_share(const MachineReading& begin, const MachineReading& end,
                                        pid_t self) {
  const auto duration_us = (end.monotonic_ns - begin.monotonic_ns) / 1000;
  if (duration_us <= 0) return std::nullopt;
  const auto before = by_pid(begin);
  const auto after = by_pid(end);
  std::map<pid_t, std::int64_t> used_us;
  for (const auto& [pid, process] : after) {
    const auto known = before.find(pid);
    used_us[pid] = process.cpu_us - (known != before.end() ? known->second.cpu_us : 0);
  }
  for (const auto& [pid, process] : before) {
    if (after.contains(pid)) continue;
    auto heir = before.find(process.parent);
    while (heir != before.end() && !after.contains(heir->first)) {
      heir = before.find(heir->second.parent);
    }
    if (heir != before.end()) used_us[heir->first] -= process.cpu_us;
  }
  std::int64_t most_us = 0;
  for (const auto& [pid, us] : used_us) {
    if (!is_below(pid, self, after)) most_us = std::max(most_us, us);
  }
  return static_cast<double>(most_us) / static_cast<double>(duration_us);
}

std::optional<double> steal_share(const MachineReading& begin, const MachineReading& end) {
  const auto all = end.cpu_ticks - begin.cpu_ticks;
  if (all <= 0) return std::nullopt;
  const auto stolen = std::max<std::int64_t>(end.steal_ticks - begin.steal_ticks, 0);
  return static_cast<double>(stolen) / static_cast<double>(all);
}

}  // namespace tare::harness
