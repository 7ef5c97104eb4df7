// What a form shows one by one: the lines of a text or, with a layout, pieces of a JSON document
// and its raw tail.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tare::compact {

struct Records {
  std::vector<std::string_view> lines;
  std::string layout = {};  // the words in the header's "JSON (...)"; empty for lines of the text
  // Lines inside a JSON string: those from `string_first` (from 0) to before `string_end`.
  std::size_t string_first = 0;
  std::size_t string_end = 0;
};

// Cuts at line feeds only; a carriage return belongs to its line.
std::vector<std::string_view> split_lines(std::string_view text);

}  // namespace tare::compact
