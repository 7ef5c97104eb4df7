// What lines say that their text does not: lines of a forwarded output that are no lines of the
// original are held against it, piece by piece. Rules: docs/fidelity.md. Pure, linear.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tare::analysis {

struct Said {
  std::size_t own = 0;         // the arm's own words only
  std::size_t rearranged = 0;  // of JSON: one record says all of it
  std::vector<std::string_view> false_lines;
  std::size_t false_numbers = 0;  // in these
};

// `lines`: views of one text, in its order. `markers`: texts that are the arm's own wherever they
// stand. `cut_at_end`: the last line is where the output was cut off.
Said judge_lines(std::span<const std::string_view> lines, std::string_view original,
                 std::span<const std::string> markers, bool cut_at_end);

// How many of the lines stand in one line of the text, but for blanks and colours.
std::size_t count_standing(std::span<const std::string_view> lines, std::string_view text);

}  // namespace tare::analysis
