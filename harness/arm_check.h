// The contract test of an arm, `tare arms check NAME`: what docs/adding-an-arm.md promises is held
// against the real program. Used by one thread.
#pragma once

#include <functional>
#include <string>

#include "common/clock.h"
#include "common/error.h"
#include "harness/arm_process.h"
#include "harness/manifest.h"

namespace tare::harness {

struct CheckStep {
  std::string name;  // "install", "start", "forward", "decode", "repeat", "disguise", "stream",
                     // "stop", "leave nothing"
  Result<std::string> outcome;  // what was seen, or what is wrong
};

// Tells each step to `on_step` as it ends; the first error, or nothing when every step went well. A
// step whose need failed is left out.
Result<void> check_arm(const Manifest& manifest, const std::filesystem::path& bin,
                       ArmStarter& starter, Clock& clock,
                       const std::function<void(const CheckStep&)>& on_step);

}  // namespace tare::harness
