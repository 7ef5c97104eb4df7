// Whether a text is worth mining at all, told at the speed of a fast compressor.
#pragma once

#include <span>
#include <string_view>

namespace tare::compact {

// False when hardly anything in the records comes again, as in prose or encoded bytes: no form
// could save enough. Looks at a fixed sample of the records for pieces of text that several of them
// share, and at all of them for records that are equal.
bool may_have_form(std::span<const std::string_view> records);

}  // namespace tare::compact
