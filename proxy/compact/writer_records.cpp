#include "proxy/compact/writer_records.h"

#include <algorithm>

namespace tare::compact {

// In blocks whose count fits a byte: so the compiler compares many bytes at a time.
std::size_t count_lines(std::string_view text) {
  constexpr std::size_t block = 192;
  std::size_t lines = 1;
  while (!text.empty()) {
    std::uint8_t count = 0;
    for (const char c : text.substr(0, block)) {
      if (c == '\n') ++count;
    }
    lines += count;
    text.remove_prefix(std::min(block, text.size()));
  }
  return lines;
}

std::vector<std::string_view> split_lines(std::string_view text) {
  return LineCutter({&text, 1}).next(count_lines(text));
}

std::vector<std::string_view> LineCutter::next(std::size_t most) {
  if (texts_.empty()) {
    const auto lines = lines_.first(std::min(most, lines_.size()));
    lines_ = lines_.subspan(lines.size());
    return {lines.begin(), lines.end()};
  }
  std::vector<std::string_view> lines;
  lines.reserve(most);
  const std::string_view text = texts_.front();
  while (lines.size() < most) {
    const std::size_t end = std::min(text.find('\n', at_), text.size());
    lines.push_back(text.substr(at_, end - at_));
    at_ = end + 1;
    if (end < text.size()) continue;
    texts_ = texts_.subspan(1);
    at_ = 0;
    break;
  }
  return lines;
}

}  // namespace tare::compact
