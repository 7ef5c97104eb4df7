// The figures of an arm's starts: start-up, memory over the whole life, and CPU outside the
// measured windows. Used by make_results() only.
#pragma once

#include <vector>

#include "analysis/figures.h"
#include "analysis/raw_reader.h"
#include "analysis/run_index.h"

namespace tare::analysis {

// `starts`: the counted ones of one arm.
Figures start_figures(const RunIndex& index, const std::vector<const StartRow*>& starts);

}  // namespace tare::analysis
