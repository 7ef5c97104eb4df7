#include "harness/cgroup.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <thread>
#include <utility>

#include "common/files.h"

namespace tare::harness {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

// The number after `key` at the start of a line ("usage_usec"), or of the whole text when `key` is
// empty.
std::optional<std::int64_t> number_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!line.starts_with(key)) continue;
    auto rest = line.substr(key.size());
    if (!key.empty()) {
      if (!rest.starts_with(' ')) continue;
      rest.remove_prefix(1);
    }
    std::int64_t value = 0;
    if (std::from_chars(rest.begin(), rest.end(), value).ec == std::errc()) return value;
  }
  return std::nullopt;
}

std::optional<std::int64_t> pread_number(int fd, std::string_view key) {
  std::array<char, 8192> buffer;  // memory.stat is 2 KB or so
  const ssize_t n = fd < 0 ? -1 : ::pread(fd, buffer.data(), buffer.size(), 0);
  if (n <= 0) return std::nullopt;
  return number_of({buffer.data(), static_cast<std::size_t>(n)}, key);
}

int open_in(const fs::path& folder, std::string_view file, int flags) {
  return ::open((folder / file).c_str(), flags | O_CLOEXEC);
}

// 0 or the errno value.
int write_to(const fs::path& file, std::string_view text) {
  const int fd = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  const int error_number =
      ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : errno;
  ::close(fd);
  return error_number;
}

bool has_word(const fs::path& file, std::string_view word) {
  const auto text = read_file(file);
  if (!text) return false;
  std::string_view rest = *text;
  while (!rest.empty()) {
    const auto end = std::min(rest.find_first_of(" \n"), rest.size());
    if (rest.substr(0, end) == word) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

std::vector<pid_t> read_processes(const fs::path& folder) {
  std::vector<pid_t> pids;
  const auto text = read_file(folder / "cgroup.procs");
  if (!text) return pids;
  const char* at = text->data();
  const char* const end = at + text->size();
  while (at < end) {
    pid_t pid = 0;
    const auto read = std::from_chars(at, end, pid);
    if (read.ec != std::errc()) break;
    pids.push_back(pid);
    at = read.ptr + 1;
  }
  return pids;
}

// Removal is refused for a moment after the last process has gone.
int remove_folder(const fs::path& folder) {
  int error_number = 0;
  for (int attempt = 0; attempt < 200; ++attempt) {
    if (::rmdir(folder.c_str()) == 0 || errno == ENOENT) return 0;
    error_number = errno;
    if (error_number != EBUSY) break;
    std::this_thread::sleep_for(milliseconds(5));
  }
  return error_number;
}

// 0 when cgroups can be made in `parent` and have the file that is to be read.
int try_out(const fs::path& parent, pid_t self, std::string_view file) {
  const fs::path folder = parent / fmt::format("tare-probe-{}", self);
  if (::mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) return errno;
  const bool readable = ::access((folder / file).c_str(), R_OK) == 0;
  remove_folder(folder);
  return readable ? 0 : ENODEV;
}

std::string_view delegation_command() {
  return ::geteuid() == 0 ? "systemd-run --scope -p Delegate=yes tare run"
                          : "systemd-run --user --scope -p Delegate=yes tare run";
}

// Lets cgroups below `home` have the memory controller. 0 or the errno value.
int hand_on_memory(const fs::path& home, pid_t self) {
  if (has_word(home / "cgroup.subtree_control", "memory")) return 0;
  int error_number = write_to(home / "cgroup.subtree_control", "+memory");
  if (error_number != EBUSY || read_processes(home) != std::vector<pid_t>{self}) {
    return error_number;
  }
  const fs::path leaf = home / harness_leaf;
  if (::mkdir(leaf.c_str(), 0755) != 0 && errno != EEXIST) return errno;
  error_number = write_to(leaf / "cgroup.procs", fmt::format("{}", self));
  if (error_number == 0) error_number = write_to(home / "cgroup.subtree_control", "+memory");
  if (error_number != 0) {
    write_to(home / "cgroup.procs", fmt::format("{}", self));
    remove_folder(leaf);
  }
  return error_number;
}

void prepare_cpu(const CgroupHome& home, pid_t self, CgroupParents& parents) {
  int error_number = ENOENT;
  if (!home.v2.empty()) {
    error_number = try_out(home.v2, self, "cpu.stat");
    if (error_number == 0) {
      parents.cpu = home.v2;
      parents.cpu_is_v2 = true;
      return;
    }
  }
  if (!home.v1_cpuacct.empty()) {
    error_number = try_out(home.v1_cpuacct, self, "cpuacct.usage");
    if (error_number == 0) {
      parents.cpu = home.v1_cpuacct;
      return;
    }
  }
  parents.limits.push_back(fmt::format(
      "CPU of short-lived children cannot be seen: no cgroup can be made ({}); start with: {}",
      strerrordesc_np(error_number), delegation_command()));
}

void prepare_memory(const CgroupHome& home, pid_t self, CgroupParents& parents) {
  int error_number = ENOENT;
  if (!home.v1_memory.empty()) {
    error_number = try_out(home.v1_memory, self, "memory.stat");
    if (error_number == 0) {
      parents.memory = home.v1_memory;
      return;
    }
  }
  if (!home.v2.empty() && has_word(home.v2 / "cgroup.controllers", "memory")) {
    error_number = hand_on_memory(home.v2, self);
    if (error_number == 0) error_number = try_out(home.v2, self, "memory.stat");
    if (error_number == 0) {
      parents.memory = home.v2;
      parents.memory_is_v2 = true;
      return;
    }
  }
  parents.limits.push_back(fmt::format(
      "memory is summed from /proc and has no peak: no cgroup with the memory controller can be "
      "made ({}); start with: {}",
      strerrordesc_np(error_number), delegation_command()));
}

std::vector<fs::path> folders_of(const CgroupParents& places) {
  std::vector<fs::path> all;
  if (!places.cpu.empty()) all.push_back(places.cpu);
  if (!places.memory.empty() && places.memory != places.cpu) all.push_back(places.memory);
  return all;
}

}  // namespace

CgroupParents prepare_cgroups(const CgroupHome& home, pid_t self) {
  CgroupParents parents;
  prepare_cpu(home, self, parents);
  prepare_memory(home, self, parents);
  return parents;
}

const CgroupParents& own_cgroups() {
  static const CgroupParents parents = prepare_cgroups(find_cgroups("/proc/self"), ::getpid());
  return parents;
}

Result<Cgroup> Cgroup::make(const CgroupParents& parents, std::string_view name) {
  CgroupParents own = parents;
  if (!own.cpu.empty()) own.cpu /= name;
  if (!own.memory.empty()) own.memory /= name;
  for (const auto& folder : folders_of(own)) {
    if (::mkdir(folder.c_str(), 0755) != 0) {
      return fail(Error::io_errno(folder.string() + ": cannot make the cgroup", errno));
    }
  }
  return open(own);
}

Result<Cgroup> Cgroup::open(const CgroupParents& folders) {
  Cgroup cgroup(folders);
  if (!folders.cpu.empty()) {
    cgroup.cpu_fd_ =
        open_in(folders.cpu, folders.cpu_is_v2 ? "cpu.stat" : "cpuacct.usage", O_RDONLY);
    if (cgroup.cpu_fd_ < 0) {
      return fail(Error::io_errno(folders.cpu.string() + ": cannot read its CPU", errno));
    }
  }
  if (!folders.memory.empty()) {
    const std::string_view peak =
        folders.memory_is_v2 ? "memory.peak" : "memory.max_usage_in_bytes";
    cgroup.memory_fd_ = open_in(folders.memory, "memory.stat", O_RDONLY);
    if (cgroup.memory_fd_ < 0) {
      return fail(Error::io_errno(folders.memory.string() + ": cannot read its memory", errno));
    }
    cgroup.peak_fd_ = open_in(folders.memory, peak, O_RDWR);
    if (cgroup.peak_fd_ < 0) cgroup.peak_fd_ = open_in(folders.memory, peak, O_RDONLY);
  }
  return cgroup;
}

Cgroup::Cgroup(Cgroup&& other) noexcept
    : folders_(std::move(other.folders_)),
      cpu_fd_(std::exchange(other.cpu_fd_, -1)),
      memory_fd_(std::exchange(other.memory_fd_, -1)),
      peak_fd_(std::exchange(other.peak_fd_, -1)) {}

Cgroup::~Cgroup() {
  for (const int fd : {cpu_fd_, memory_fd_, peak_fd_}) {
    if (fd >= 0) ::close(fd);
  }
}

std::vector<fs::path> Cgroup::folders() const {
  return folders_of(folders_);
}

std::optional<std::int64_t> Cgroup::cpu_us() const {
  if (folders_.cpu_is_v2) return pread_number(cpu_fd_, "usage_usec");
  const auto ns = pread_number(cpu_fd_, "");
  return ns ? std::optional(*ns / 1000) : std::nullopt;
}

std::optional<std::int64_t> Cgroup::anon_bytes() const {
  return pread_number(memory_fd_, folders_.memory_is_v2 ? "anon" : "total_rss");
}

std::optional<std::int64_t> Cgroup::peak_bytes() const {
  return pread_number(peak_fd_, "");
}

bool Cgroup::reset_peak() {
  return peak_fd_ >= 0 && ::pwrite(peak_fd_, "0\n", 2, 0) == 2;
}

std::vector<pid_t> Cgroup::processes() const {
  std::vector<pid_t> all;
  for (const auto& folder : folders()) {
    const auto pids = read_processes(folder);
    all.insert(all.end(), pids.begin(), pids.end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

void Cgroup::kill() const {
  for (int attempt = 0; attempt < 200; ++attempt) {
    const auto pids = processes();
    if (pids.empty()) return;
    for (const pid_t pid : pids) ::kill(pid, SIGKILL);
    std::this_thread::sleep_for(milliseconds(5));
  }
}

Result<void> Cgroup::remove() const {
  for (const auto& folder : folders()) {
    if (const int e = remove_folder(folder)) {
      return fail(Error::io_errno(folder.string() + ": cannot remove the cgroup", e));
    }
  }
  return {};
}

}  // namespace tare::harness
