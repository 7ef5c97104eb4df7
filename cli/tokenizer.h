// The tokenizer's ranks as subcommands use them: what is installed here, else estimates.
#pragma once

#include <filesystem>

#include "analysis/tokenizer.h"
#include "common/error.h"

namespace tare::cli {

// Without the ranks (see token_ranks_file()) it says so on stderr, and gives estimates.
analysis::Tokenizer make_tokenizer();

// Counts the tokens of a run (analysis/run_tokens.h); without the ranks it says so on stderr and
// leaves the folder as it is.
Result<void> count_tokens(const std::filesystem::path& run_folder);

}  // namespace tare::cli
