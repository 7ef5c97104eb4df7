// Which lines of a text are in a shorter one. A line is what stands before a line feed, without the
// blanks at its end; blank lines do not count. A line that stands five times counts five times, and
// is kept five times when it is shown five times, or once with the count of a run that it is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace tare::analysis {

// Calls `use` with each line.
template <typename Function>
void for_each_line(std::string_view text, Function use) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const auto last = line.find_last_not_of(" \t\r");
    if (last != line.npos) use(line.substr(0, last + 1));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

struct KeptLines {
  std::vector<std::string_view> kept;     // of the original
  std::vector<std::string_view> missing;  // of the original, in its order
  std::vector<std::string_view> unknown;  // of the shorter text: not lines of the original
  std::size_t moved = 0;                  // kept ones that do not stand in the original's order
  std::size_t extra = 0;  // of the shorter text: lines of the original, more often than it has them
  std::size_t own = 0;    // of the shorter text: counts of the line before, which are true
};

// The views are into the two texts.
KeptLines find_kept_lines(std::string_view original, std::string_view shorter);

}  // namespace tare::analysis
