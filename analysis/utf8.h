// Code points of UTF-8 text, well-formed or not. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tare::analysis {

struct CodePoint {
  char32_t code = 0;
  std::size_t bytes = 0;
};

// The code point at `at`, which must be inside the text. Bytes that are not UTF-8 give U+FFFD, one
// for each longest part of a sequence that could have been one, as decoders of clients do.
CodePoint code_point_at(std::string_view text, std::size_t at);

// The text with U+FFFD, spelled as three bytes, in place of each such part.
std::string well_formed(std::string_view text);

}  // namespace tare::analysis
