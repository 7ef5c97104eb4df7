// Rows that are exceptional in one column.
//
// Where one value (or one shape of value: runs of digits as one) fills three quarters of a column,
// a row with a rare other one is exceptional: a reader must find it as it is, so it must not go
// into a template.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace tare::compact {

// Sets the marks of the exceptional rows; there is one for each value. Linear in the text, but for
// the few rare values.
void mark_outliers(std::span<const std::string_view> values, std::vector<bool>& marks);

}  // namespace tare::compact
