// Splits a group of records into groups with a template each, where that saves more than the
// definitions cost.
//
// A group is split by the values of one column, or by their shapes (runs of digits as one), again
// and again up to a small depth; the numbers of columns tried and of splits are bounded.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "proxy/compact/writer_fit.h"

namespace tare::compact {

// The templates of `rows` (rising), with positive gains; may be none.
std::vector<Template> refine(Fitter& fitter, const Columns& columns,
                             std::span<const std::uint32_t> rows);

}  // namespace tare::compact
