// The part of the JSON report that a sliced plan's run has. Pure.
#pragma once

#include <nlohmann/json.hpp>

#include "analysis/sliced_results.h"

namespace tare::analysis {

// Ratios as they are (1.02: 2 % more), not as logs.
nlohmann::ordered_json sliced_json(const SlicedResults& sliced);

}  // namespace tare::analysis
