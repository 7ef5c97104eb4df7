// What this machine can measure, how noisy it is, and for each limit the command that would better
// it: `tare doctor`. Reading only, but for a short fixed loop that is timed; about a second.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "common/clock.h"

namespace tare::harness {

struct Finding {
  enum class State {
    good,
    limited,  // figures suffer: `remedy` says what would better it
    unknown,  // cannot be told here
  };
  State state = State::good;
  std::string topic;   // "CPU governor"
  std::string text;    // "powersave: figures move with the clock rate"
  std::string remedy;  // a command, or what to do; empty when good
};

// All of them, in the order in which they are printed. `output` is the folder runs are written to.
std::vector<Finding> examine(Clock& clock, const std::filesystem::path& output);

// Its parts.
std::vector<Finding> examine_meters();
std::vector<Finding> examine_clock(Clock& clock);
std::vector<Finding> examine_noise(Clock& clock);
// Settings of the kernel and the CPU, read below `root` ("/").
std::vector<Finding> examine_settings(const std::filesystem::path& root);
std::vector<Finding> examine_limits(const std::filesystem::path& output);

// How far a fixed piece of work is from always taking the same time: 95th percentile over median,
// less one. Needs 20 durations or more.
double spread(std::span<const std::int64_t> durations_ns);

}  // namespace tare::harness
