// The first line of a form: the marks it uses, how many lines it stands for, and the layout of
// JSON.
//
// Pure functions; the views point into the text given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "common/error.h"

namespace tare::compact::reader {

// Where the blanks and line breaks of a JSON text stand, so that its tokens are enough.
struct JsonLayout {
  bool one_line = false;
  bool spaced = false;     // one line: a blank after each comma and colon
  bool wide = false;       // several lines: blanks on both sides of a colon
  bool flat = false;       // several lines: an array that holds no container is on one line
  char indent_byte = ' ';  // several lines: a level's indent is `indent` of these
  std::size_t indent = 0;
  bool several =
      false;  // a comma outside all brackets is a line break: documents follow each other
};

struct Header {
  std::string_view mark;  // S: begins a line that is not a plain one
  std::string_view open;  // O and C: around a slot
  std::string_view close;
  std::uint64_t lines = 0;
  std::optional<JsonLayout> json;
  std::uint64_t first_raw_lines = 0;  // lines before the JSON
  std::uint64_t raw_lines = 0;        // the last lines, which are no tokens but what follows them
  std::uint64_t string_first = 0;     // lines inside a JSON string, from 1; none: 0
  std::uint64_t string_last = 0;
  std::string_view alias_mark;  // M; empty when the form has no aliases
};

// True when `line` begins "[", any three characters, " compact" and ends "]". Wider than what
// parse_header() accepts, so that headers of other versions are not taken for plain text.
bool has_header_shape(std::string_view line);

// `line` has a header's shape. Errors: invalid, naming what was expected.
Result<Header> parse_header(std::string_view line);

}  // namespace tare::compact::reader
