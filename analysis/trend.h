// Whether a start's figures moved while it was measured. Pure.
#pragma once

#include <span>
#include <string_view>

namespace tare::analysis {

enum class Trend { flat, warming, slowing, cannot_be_told };
std::string_view name_of(Trend trend);

// Of one start's latencies in the order of time: the first third against the last third. warming:
// the last third is faster; slowing: it is slower; each when a rank-sum test says so at 5 % and the
// medians differ by at least 5 %. Fewer than 12 values, or any that is not above 0: cannot_be_told.
// After Barrett et al., "Virtual Machine Warmup Blows Hot and Cold", OOPSLA (2017), who show that a
// steady state must be looked for, not assumed; the test is Mann and Whitney's (rank_sum.h).
Trend trend_of(std::span<const double> latencies);

}  // namespace tare::analysis
