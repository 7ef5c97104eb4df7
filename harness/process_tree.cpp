#include "harness/process_tree.h"

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <ctime>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "common/files.h"

namespace tare::harness {
namespace {

struct Stat {
  char state = '?';
  pid_t parent = 0;
  std::int64_t waited_ticks = 0;  // user and system time of the children it waited for
};

// /proc/PID/stat: the name may hold blanks and parentheses, so fields are counted from its last
// ')'.
std::optional<Stat> read_stat(pid_t pid) {
  const auto text = read_file(fmt::format("/proc/{}/stat", pid));
  if (!text) return std::nullopt;
  const auto name_end = text->rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= text->size()) return std::nullopt;
  Stat stat;
  const char* at = text->data() + name_end + 2;
  const char* const end = text->data() + text->size();
  stat.state = *at;
  // proc(5): state is field 3, ppid 4, cutime 16, cstime 17.
  for (int field = 3; at < end && field <= 17; ++field) {
    std::int64_t value = 0;
    if (field > 3) std::from_chars(at, end, value);
    if (field == 4) stat.parent = static_cast<pid_t>(value);
    if (field >= 16) stat.waited_ticks += value;
    while (at < end && *at != ' ') ++at;
    ++at;
  }
  return stat;
}

std::int64_t ticks_to_us(std::int64_t ticks) {
  static const std::int64_t ticks_per_s = ::sysconf(_SC_CLK_TCK);
  return ticks * 1'000'000 / ticks_per_s;
}

// Sums of the named fields ("Pss_Anon") of a process's smaps_rollup, in bytes.
std::optional<std::int64_t> smaps_sum(pid_t pid, std::initializer_list<std::string_view> names) {
  const auto text = read_file(fmt::format("/proc/{}/smaps_rollup", pid));
  if (!text || text->empty()) return std::nullopt;
  std::int64_t kib = 0;
  for (const auto name : names) {
    const std::string key = fmt::format("\n{}:", name);
    auto at = text->find(key);
    if (at == std::string::npos) continue;
    at = text->find_first_not_of(' ', at + key.size());
    if (at == std::string::npos) continue;
    std::int64_t value = 0;
    std::from_chars(text->data() + at, text->data() + text->size(), value);
    kib += value;
  }
  return kib * 1024;
}

}  // namespace

std::vector<pid_t> descendants(pid_t root) {
  const std::unique_ptr<DIR, int (*)(DIR*)> proc(::opendir("/proc"), &::closedir);
  if (!proc) return {};
  std::multimap<pid_t, pid_t> children;
  while (const dirent* entry = ::readdir(proc.get())) {
    const std::string_view name = entry->d_name;
    pid_t pid = 0;
    if (std::from_chars(name.begin(), name.end(), pid).ptr != name.end() || pid <= 0) continue;
    const auto stat = read_stat(pid);
    if (stat && stat->state != 'Z' && stat->state != 'X') children.emplace(stat->parent, pid);
  }
  std::vector<pid_t> found;
  auto add_children_of = [&](pid_t parent) {
    const auto [begin, end] = children.equal_range(parent);
    for (auto child = begin; child != end; ++child) found.push_back(child->second);
  };
  add_children_of(root);
  for (std::size_t next = 0; next < found.size(); ++next) add_children_of(found[next]);
  return found;
}

std::int64_t tree_cpu_us(pid_t root) {
  std::int64_t sum_us = 0;
  if (const auto stat = read_stat(root)) sum_us += ticks_to_us(stat->waited_ticks);
  for (const pid_t pid : descendants(root)) {
    clockid_t clock{};
    timespec used{};
    if (::clock_getcpuclockid(pid, &clock) == 0 && ::clock_gettime(clock, &used) == 0) {
      sum_us += std::int64_t{used.tv_sec} * 1'000'000 + used.tv_nsec / 1'000;
    }
    if (const auto stat = read_stat(pid)) sum_us += ticks_to_us(stat->waited_ticks);
  }
  return sum_us;
}

std::int64_t anonymous_bytes(const std::vector<pid_t>& processes) {
  std::int64_t sum = 0;
  for (const pid_t pid : processes) sum += smaps_sum(pid, {"Pss_Anon"}).value_or(0);
  return sum;
}

std::optional<std::int64_t> private_bytes(const std::vector<pid_t>& processes) {
  std::optional<std::int64_t> sum;
  for (const pid_t pid : processes) {
    const auto bytes = smaps_sum(pid, {"Private_Clean", "Private_Dirty"});
    if (bytes) sum = sum.value_or(0) + *bytes;
  }
  return sum;
}

}  // namespace tare::harness
