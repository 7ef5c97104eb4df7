// Whether a text is worth mining at all, told at the speed of a fast compressor.
#pragma once

#include <cstddef>
#include <span>
#include <stop_token>
#include <string_view>

namespace tare::compact {

// False when hardly anything in the records comes again, as in prose or encoded bytes: no form
// could save enough. Looks at a fixed sample of the records for pieces of text that several of them
// share, and at all of them for records that are equal.
bool may_have_form(std::span<const std::string_view> records, const std::stop_token& stop);

// True when at least so much of the records' bytes is in records that equal an earlier one.
bool comes_again(std::span<const std::string_view> records, std::size_t percent,
                 const std::stop_token& stop);

}  // namespace tare::compact
