// The field in the JSON report.
#pragma once

#include <nlohmann/json.hpp>

#include "analysis/field_results.h"

namespace tare::analysis {

nlohmann::ordered_json field_json(const FieldResults& field);

}  // namespace tare::analysis
