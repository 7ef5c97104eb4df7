// The processes below one, read from /proc: for killing and counting what a start left behind, and
// for measuring where there are no cgroups. A walk costs about 2 ms: never inside a window. Pure
// readings; may be used from several threads at once.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace tare::harness {

// All living descendants of `root` (zombies and `root` itself are not among them). With `root` a
// child subreaper none can escape; one that forks meanwhile may be missed, so whoever kills them
// repeats until none is left.
std::vector<pid_t> descendants(pid_t root);

// CPU of the descendants of `root` since they began, in microseconds: the living ones by their CPU
// clocks, those waited for (by `root` too) by the kernel's sums of their parents. Children that
// the kernel reaped on its own are not seen, and each sum is cut to 10 ms.
std::int64_t tree_cpu_us(pid_t root);

// Sums over `processes`, in bytes, from smaps_rollup; those that ended meanwhile count nothing.
// Anonymous memory shared between them is counted once.
std::int64_t anonymous_bytes(const std::vector<pid_t>& processes);
// Private_Clean + Private_Dirty. Nothing when none could be read.
std::optional<std::int64_t> private_bytes(const std::vector<pid_t>& processes);

}  // namespace tare::harness
