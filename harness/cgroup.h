// Cgroups: what this machine has, one fresh cgroup for each start, and its readings.
//
// CPU comes from the v2 hierarchy (cpu.stat) or else the v1 cpuacct controller, memory from v2 or
// else the v1 memory controller; on a hybrid machine the two stand in different trees. Nothing is
// hard-coded: places are read from /proc/self/mountinfo and /proc/self/cgroup. A Cgroup keeps its
// files open and reads them with pread, a system call each: its const functions may be called from
// several threads at once.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"

namespace tare::harness {

// The leaf into which the harness moves itself on pure v2.
inline constexpr std::string_view harness_leaf = "tare-harness";

// The folders of the cgroups that a process stands in; empty where there is none. A process in a
// harness_leaf stands in the folder above it.
struct CgroupHome {
  std::filesystem::path v2;
  std::filesystem::path v1_memory;
  std::filesystem::path v1_cpuacct;
};
// `proc_self` ("/proc/self") is a parameter so that tests can describe other machines.
CgroupHome find_cgroups(const std::filesystem::path& proc_self);

// Where cgroups of starts can be made, and read what.
struct CgroupParents {
  std::filesystem::path cpu;     // empty: CPU cannot be read from a cgroup
  std::filesystem::path memory;  // empty: memory cannot; may equal cpu
  bool cpu_is_v2 = false;
  bool memory_is_v2 = false;
  std::vector<std::string> limits;  // what cannot be, why, and the command that would better it
};
// Tries it out: makes and removes a cgroup in each place. On pure v2 a cgroup with processes cannot
// hand its memory controller on, so this process (`self`) moves into a leaf below its own when it
// is alone there.
CgroupParents prepare_cgroups(const CgroupHome& home, pid_t self);
// The same for this process, found and prepared once.
const CgroupParents& own_cgroups();

class Cgroup {
 public:
  // A new cgroup `name` below the parents. Errors: io (one of this name is there, too).
  static Result<Cgroup> make(const CgroupParents& parents, std::string_view name);
  // One that is there. An empty folder means that this is not read.
  static Result<Cgroup> open(const CgroupParents& folders);

  Cgroup(Cgroup&& other) noexcept;
  Cgroup& operator=(Cgroup&&) = delete;
  ~Cgroup();  // closes the files and leaves the cgroup: see remove()

  std::vector<std::filesystem::path> folders() const;

  std::optional<std::int64_t> cpu_us() const;      // of all that ever ran in it
  std::optional<std::int64_t> anon_bytes() const;  // anonymous memory now
  std::optional<std::int64_t> peak_bytes() const;  // most charged, page cache included
  // Lets the peak start anew; false where the kernel cannot (v2 before Linux 6.12).
  bool reset_peak();

  std::vector<pid_t> processes() const;
  // SIGKILL to everything in it, until nothing is or a second has gone by.
  void kill() const;
  // Removes the folders; errors: io when something still runs in it.
  Result<void> remove() const;

 private:
  explicit Cgroup(CgroupParents folders) : folders_(std::move(folders)) {}

  CgroupParents folders_;  // cpu and memory are the cgroup's own folders here
  int cpu_fd_ = -1;
  int memory_fd_ = -1;
  int peak_fd_ = -1;
};

}  // namespace tare::harness
