// The field as a picture: tokens kept against information kept, a dot an arm and class. The same
// results give the same bytes. Pure.
#pragma once

#include <string>

#include "analysis/field_results.h"

namespace tare::analysis {

// An SVG element; empty when there is nothing to show. Right and down is worse: what saves tokens
// and loses nothing stands at the upper left.
std::string scatter_svg(const FieldResults& field);

}  // namespace tare::analysis
