// Small things that the policy does with words.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace tare::wire {

inline bool is_one_of(std::string_view word, std::span<const std::string_view> all) {
  return std::ranges::find(all, word) != all.end();
}

// A set of bytes. The standard's find_first_of() looks through the whole set for each byte.
class ByteSet {
 public:
  consteval explicit ByteSet(std::string_view bytes) {
    for (const char c : bytes) has_[static_cast<unsigned char>(c)] = true;
  }

  bool has(char c) const { return has_[static_cast<unsigned char>(c)]; }

  // The first place in `text` with a byte of the set, npos when there is none.
  std::size_t find_in(std::string_view text, std::size_t from = 0) const {
    for (std::size_t i = from; i < text.size(); ++i) {
      if (has(text[i])) return i;
    }
    return std::string_view::npos;
  }

 private:
  std::array<bool, 256> has_{};
};

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
