// run.json, read into RunInfo. Used by the raw reader only.
#pragma once

#include "analysis/raw_reader.h"

namespace tare::analysis {

// `text` is the content of run.json. Errors: invalid, naming the place in it.
Result<RunInfo> parse_run_info(const std::string& text);

}  // namespace tare::analysis
