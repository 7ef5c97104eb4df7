// The o200k_base tokens of a run's bodies. Counting takes the tokenizer's ranks, which a report
// need not have: so it is done once, at the end of a run or by `tare verify`, and reports only read
// its result, tokens.jsonl (docs/raw-format.md).
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>

#include "analysis/o200k.h"
#include "analysis/raw_reader.h"

namespace tare::analysis {

// Replaces `run_folder`/tokens.jsonl; returns how many bodies it holds. A body that is not stored,
// or damaged, has no row. Errors: those of read_run(), and io.
Result<std::size_t> count_run_tokens(const std::filesystem::path& run_folder, const O200k& ranks);

// The tokens of each body's tool outputs together; empty unless each body that the run's requests
// name was counted, for exact counts are not mixed with estimates in one report.
std::map<std::string, double, std::less<>> counted_outputs(const RawRun& run);

}  // namespace tare::analysis
