#include "harness/gates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace tare::harness {
namespace {

constexpr double canary_limit = 0.25;
constexpr double steal_limit = 0.05;
constexpr double foreign_limit = 0.20;
constexpr std::int64_t swap_limit_bytes = 1'000'000;
// A clock that is kept in time by its rate alone drifts by less.
constexpr std::int64_t step_limit_ns = 10'000'000;
constexpr std::int64_t drift_divisor = 1000;

double off_by(std::int64_t value, std::int64_t usual) {
  if (usual == 0) return 0;
  return static_cast<double>(value) / static_cast<double>(usual) - 1;
}

}  // namespace

std::optional<Discard> clock_step(const Conditions& conditions, std::int64_t duration_ns) {
  const std::int64_t limit_ns = step_limit_ns + duration_ns / drift_divisor;
  if (std::abs(conditions.clock_step_ns) <= limit_ns) return std::nullopt;
  return Discard{DiscardCause::clock_step,
                 fmt::format("the wall clock moved by {:.3f} s",
                             static_cast<double>(conditions.clock_step_ns) / 1e9)};
}

std::optional<Discard> gate(const Conditions& conditions, std::int64_t usual_canary_ns,
                            std::int64_t duration_ns) {
  for (const auto canary_ns : {conditions.canary_begin_ns, conditions.canary_end_ns}) {
    const double off = off_by(canary_ns, usual_canary_ns);
    if (std::abs(off) > canary_limit) {
      return Discard{DiscardCause::canary,
                     fmt::format("a fixed loop took {:.1f} ms, {:+.0f} % from the usual {:.1f} ms "
                                 "(limit 25 %)",
                                 static_cast<double>(canary_ns) / 1e6, 100 * off,
                                 static_cast<double>(usual_canary_ns) / 1e6)};
    }
  }
  if (const double share = conditions.steal_share.value_or(0); share > steal_limit) {
    return Discard{
        DiscardCause::steal,
        fmt::format("{:.1f} % of the CPU time went to other machines (limit 5 %)", 100 * share)};
  }
  if (const double share = conditions.foreign_cpu_share.value_or(0); share > foreign_limit) {
    return Discard{DiscardCause::foreign_cpu,
                   fmt::format("another process used {:.0f} % of a CPU (limit 20 %)", 100 * share)};
  }
  if (auto step = clock_step(conditions, duration_ns)) return step;
  if (const auto bytes = conditions.swap_bytes.value_or(0); bytes > swap_limit_bytes) {
    return Discard{DiscardCause::swap, fmt::format("{:.1f} MB were swapped (limit 1 MB)",
                                                   static_cast<double>(bytes) / 1e6)};
  }
  return std::nullopt;
}

RoundWatch::RoundWatch(Machine& machine, pid_t self) : machine_(machine), self_(self) {
  std::array<std::int64_t, 15> series{};
  for (auto& canary_ns : series) canary_ns = machine.canary_ns();
  std::ranges::sort(series);  // what else runs only makes the loop slower
  usual_canary_ns_ = series.front();
}

void RoundWatch::begin() {
  begin_ = machine_.read();
  canary_begin_ns_ = machine_.canary_ns();
}

Conditions RoundWatch::end() {
  Conditions conditions;
  conditions.canary_begin_ns = canary_begin_ns_;
  conditions.canary_end_ns = machine_.canary_ns();
  const MachineReading end = machine_.read();
  conditions.steal_share = steal_share(begin_, end);
  conditions.foreign_cpu_share = foreign_cpu_share(begin_, end, self_);
  conditions.clock_step_ns =
      (end.wall_ns - begin_.wall_ns) - (end.monotonic_ns - begin_.monotonic_ns);
  if (begin_.swap_bytes && end.swap_bytes) {
    conditions.swap_bytes = std::max<std::int64_t>(*end.swap_bytes - *begin_.swap_bytes, 0);
  }
  return conditions;
}

}  // namespace tare::harness
