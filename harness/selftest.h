// The run that tare selftest judges: copies of the dose arm (arms/dose) with known doses, one of
// them twice. Pure: what is run and what each arm was told to do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/plan.h"
#include "harness/run_setup.h"

namespace tare::harness {

// Names of the arms; the twin of `plain` is its A/A partner.
struct DoseArms {
  static constexpr const char* plain = "dose";
  static constexpr const char* cpu = "dose-cpu";
  static constexpr const char* memory = "dose-memory";  // and longer bodies
  static constexpr const char* sleep_short = "dose-sleep-short";
  static constexpr const char* sleep_long = "dose-sleep-long";
};

inline constexpr std::int64_t dose_cpu_us = 10;
inline constexpr std::int64_t dose_memory_bytes = 4'000'000;
inline constexpr std::int64_t dose_pad_bytes = 1000;
inline constexpr std::int64_t dose_sleep_short_us = 500;
inline constexpr std::int64_t dose_sleep_long_us = 2000;

Plan selftest_plan(int rounds, std::uint64_t seed);
RunSetup selftest_setup(const Plan& plan);

}  // namespace tare::harness
