#include "proxy/compact/writer_alert.h"

#include <algorithm>
#include <array>

#include "proxy/compact/chars.h"

namespace tare::compact {
namespace {

constexpr std::array<std::string_view, 13> words{
    "critical", "denied", "error", "errors",    "exception", "fail",   "failed",
    "failure",  "fatal",  "panic", "traceback", "warn",      "warning"};

constexpr char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

constexpr std::array<bool, 256> begins_word = [] {
  std::array<bool, 256> table{};
  for (const std::string_view word : words) {
    table[static_cast<unsigned char>(word[0])] = true;
    table[static_cast<unsigned char>(word[0] - ('a' - 'A'))] = true;
  }
  return table;
}();

bool equal_in_any_case(std::string_view text, std::string_view word) {
  return std::ranges::equal(text, word, [](char a, char b) { return lower(a) == b; });
}

}  // namespace

bool is_alert(std::string_view line) {
  std::size_t i = 0;
  while (i < line.size()) {
    while (i < line.size() && !is_word(line[i])) ++i;
    const std::size_t begin = i;
    while (i < line.size() && is_word(line[i])) ++i;
    const std::size_t length = i - begin;
    if (length < 4 || length > 9 || !begins_word[static_cast<unsigned char>(line[begin])]) continue;
    const std::string_view text = line.substr(begin, length);
    if (std::any_of(words.begin(), words.end(),
                    [&](std::string_view word) { return equal_in_any_case(text, word); })) {
      return true;
    }
  }
  return false;
}

}  // namespace tare::compact
