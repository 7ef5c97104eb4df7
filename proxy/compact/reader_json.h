// Lays JSON tokens out again: blanks, line breaks, indents and the commas at line ends.
//
// Pure but for the output it appends to; it never recurses, so depth is no danger.
#pragma once

#include <stop_token>
#include <string_view>

#include "common/error.h"
#include "proxy/compact/reader_header.h"
#include "proxy/compact/reader_text.h"

namespace tare::compact::reader {

// `lines` holds the records, each with its line feed. Errors: invalid, naming the record, when a
// line is no sequence of JSON tokens or closes more than was opened; too large.
Result<void> lay_out_json(std::string_view lines, const JsonLayout& layout, Output& output,
                          const std::stop_token& stop);

// Appends `text` as it stands inside a JSON string: quote, backslash and bytes below 0x20 escaped,
// by the short escapes where there are any.
void append_escaped(std::string_view text, Output& output, const std::stop_token& stop);

}  // namespace tare::compact::reader
