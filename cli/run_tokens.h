// What tare run and tare verify do alike about a run's tokens.
#pragma once

#include <filesystem>

#include "common/error.h"

namespace tare::cli {

// Counts the tokens of a run (analysis/run_tokens.h). Without the tokenizer's ranks it says so on
// stderr and leaves the folder as it is: its reports give estimates.
Result<void> count_tokens(const std::filesystem::path& run_folder);

}  // namespace tare::cli
