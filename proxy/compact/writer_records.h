// What a form shows one by one: the lines of a text or, with a layout, pieces of a JSON document
// and its raw tail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
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
  // Of a part of a text: the lines in front of it, and whether what looks like a failure in it is
  // known to be rare in the whole.
  std::uint32_t first_line = 0;
  bool is_part = false;
};

// Cuts at line feeds only; a carriage return belongs to its line.
std::vector<std::string_view> split_lines(std::string_view text);

// split_lines(text).size()
std::size_t count_lines(std::string_view text);

// The lines of several texts, some at a time; or lines that are cut already.
class LineCutter {
 public:
  explicit LineCutter(std::span<const std::string_view> texts) : texts_(texts) {}
  static LineCutter of_lines(std::span<const std::string_view> lines) {
    LineCutter cutter({});
    cutter.lines_ = lines;
    return cutter;
  }

  // The next lines of one text, `most` at most; none at the end. Valid as long as the texts.
  std::vector<std::string_view> next(std::size_t most);

 private:
  std::span<const std::string_view> texts_;
  std::span<const std::string_view> lines_;
  std::size_t at_ = 0;  // in the first of them
};

}  // namespace tare::compact
