#include "analysis/lines.h"

#include <fmt/format.h>

#include <algorithm>

namespace tare::analysis {

void Lines::add(std::size_t line) {
  if (!ranges_.empty() && (line == ranges_.back().second || line == ranges_.back().second + 1)) {
    ranges_.back().second = line;
  } else {
    ranges_.emplace_back(line, line);
  }
}

void Lines::add(const Lines& others) {
  ranges_.insert(ranges_.end(), others.ranges_.begin(), others.ranges_.end());
}

std::string Lines::text() const {
  auto sorted = ranges_;
  std::sort(sorted.begin(), sorted.end());
  std::string text;
  for (std::size_t i = 0; i < sorted.size();) {
    auto [first, last] = sorted[i];
    for (++i; i < sorted.size() && sorted[i].first <= last + 1; ++i) {
      last = std::max(last, sorted[i].second);
    }
    if (!text.empty()) text += ", ";
    text += first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
  }
  return text;
}

}  // namespace tare::analysis
