// How to tell what an arm says in its own name from what it says that the tool said: the notation
// of counts ("x5"), and the marks of what was left out. One rule for all arms: docs/fidelity.md.
// Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tare::analysis {

// A line with a count at one of its ends, set off by a blank: "x5", "5x", "(x5)", "[5 times]",
// "(repeated 5 times)"; also with the sign for times.
struct CountedLine {
  std::string_view line;  // without the count
  std::size_t times = 0;
};
std::optional<CountedLine> counted_line(std::string_view line);

// "[Same output as call_1 above]": in brackets or begun as a comment, with "same" or "identical".
bool refers_to_other_output(std::string_view line);

// "[previous line repeated 4 more times]": how often more the line before it stood.
std::optional<std::size_t> repeats_of_previous(std::string_view line);

// It holds a word that says that something was left out: "omitted", "truncated", "more", ...
bool speaks_of_omission(std::string_view text);

// What a line shows of the tool's text: cut at "...", at bracketed statements of omission and at
// `markers`. Empty: all of it is the arm's own.
struct ShownPieces {
  std::vector<std::string_view> pieces;
  bool cut = false;  // a mark of the arm's own stood in the line
};
ShownPieces shown_pieces(std::string_view line, std::span<const std::string> markers);

}  // namespace tare::analysis
