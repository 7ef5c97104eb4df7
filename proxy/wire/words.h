// Small things that the policy does with words.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

namespace tare::wire {

inline bool is_one_of(std::string_view word, std::span<const std::string_view> all) {
  return std::ranges::find(all, word) != all.end();
}

// Of ASCII letters; other bytes stay.
inline char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

inline std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(text, result.begin(), [](char c) { return lower(c); });
  return result;
}

inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

inline bool is_letter(char c) {
  return lower(c) >= 'a' && lower(c) <= 'z';
}

}  // namespace tare::wire
