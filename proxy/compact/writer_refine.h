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

// The records of a template, and what it gains: what a choice among many needs to know of it.
struct Group {
  std::vector<std::uint32_t> rows;  // records, rising
  Cost gain = 0;
};

// The records that `rows` (rising) are best split into for a template each, which all gain; may be
// none.
std::vector<Group> refine(Fitter& fitter, const Columns& columns,
                          std::span<const std::uint32_t> rows);

}  // namespace tare::compact
