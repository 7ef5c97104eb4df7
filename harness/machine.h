// What goes on on this machine beside the arms: read right before and right after a round, never
// inside a window. The walk over /proc takes some milliseconds.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "common/clock.h"

namespace tare::harness {

struct ProcessCpu {
  pid_t pid = 0;
  pid_t parent = 0;
  std::int64_t cpu_us = 0;  // its own, and that of the children it waited for
};

struct MachineReading {
  std::int64_t monotonic_ns = 0;
  std::int64_t wall_ns = 0;
  std::int64_t cpu_ticks = 0;  // of all CPUs since boot, idle too
  std::int64_t steal_ticks = 0;
  std::optional<std::int64_t> swap_bytes;  // swapped in and out since boot
  std::vector<ProcessCpu> processes;       // without kernel threads
};

class Machine {
 public:
  virtual ~Machine() = default;
  // A fixed piece of work: how long it took; about 5 ms, no memory, no system call.
  virtual std::int64_t canary_ns() = 0;
  virtual MachineReading read() = 0;
};

std::unique_ptr<Machine> make_machine(Clock& clock, std::filesystem::path proc = "/proc");

// The busiest process between two readings that is neither `self` nor below it: its share of one
// CPU. Children that ended meanwhile count for the parent that waited for them, but for what they
// had used before. Nothing when no time went by.
std::optional<double> foreign_cpu_share(const MachineReading& begin, const MachineReading& end,
                                        pid_t self);

// Nothing where no tick went by.
std::optional<double> steal_share(const MachineReading& begin, const MachineReading& end);

}  // namespace tare::harness
