// A compactor or decoder as a command: a text on stdin, another on stdout.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"

namespace tare::analysis {

// What the command writes for `input`, at most 64 MiB and a thousand times its size. Errors, each
// in one line: missing (no such program), timed_out, crashed (any end but exit code 0), io.
Result<std::string> run_filter(const std::vector<std::string>& argv, std::string_view input,
                               std::chrono::milliseconds limit);

}  // namespace tare::analysis
