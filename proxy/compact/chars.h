// What the writer sees in a byte: one table, so that every scan agrees on what a word is.
//
// Bytes of 0x80 and above count as word bytes; a text need not be UTF-8.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace tare::compact {

enum class Char : std::uint8_t { punctuation, upper, lower, digit, blank, line_end, high };

inline constexpr std::array<Char, 256> char_table = [] {
  std::array<Char, 256> table{};
  for (std::size_t c = 0; c < 256; ++c) {
    table[c] = c >= 'A' && c <= 'Z'                              ? Char::upper
               : c >= 'a' && c <= 'z'                            ? Char::lower
               : c >= '0' && c <= '9'                            ? Char::digit
               : c == '\n' || c == '\r'                          ? Char::line_end
               : c == ' ' || c == '\t' || c == '\v' || c == '\f' ? Char::blank
               : c >= 0x80                                       ? Char::high
                                                                 : Char::punctuation;
  }
  return table;
}();

inline Char char_class(char c) {
  return char_table[static_cast<unsigned char>(c)];
}
inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
inline bool is_letter(char c) {
  const Char k = char_class(c);
  return k == Char::upper || k == Char::lower;
}
inline bool is_alphanumeric(char c) {
  return is_letter(c) || is_digit(c);
}

// A-Z a-z 0-9 _ and every byte of a non-ASCII character.
inline constexpr std::array<bool, 256> word_table = [] {
  std::array<bool, 256> table{};
  for (std::size_t c = 0; c < 256; ++c) {
    table[c] = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
               c == '_' || c >= 0x80;
  }
  return table;
}();
inline bool is_word(char c) {
  return word_table[static_cast<unsigned char>(c)];
}

// Columns and widths count characters: a well-formed UTF-8 sequence is one, and so is each other
// byte.
std::size_t count_characters(std::string_view text);

// Eight bytes of a text at a time, as they lie in memory.
inline constexpr std::size_t word_bytes = sizeof(std::uint64_t);
constexpr std::uint64_t each_byte(std::uint8_t byte) {
  return 0x0101010101010101U * byte;
}
inline constexpr std::uint64_t high_bits = each_byte(0x80);
inline std::uint64_t word_at(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}
// The place of the first byte of which a bit is set in `word`, which is not 0.
inline std::size_t first_byte(std::uint64_t word) {
  static_assert(std::endian::native == std::endian::little);
  return static_cast<std::size_t>(std::countr_zero(word)) / 8;
}

// a == b, inline: faster where most texts are a few bytes long.
inline bool same_text(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  const auto differ = [&]<typename Word>(std::size_t at, Word) {
    Word x = 0;
    Word y = 0;
    std::memcpy(&x, a.data() + at, sizeof x);
    std::memcpy(&y, b.data() + at, sizeof y);
    return x != y;
  };
  const std::size_t size = a.size();
  if (size > 16) return a == b;
  if (size >= 8) return !differ(0, std::uint64_t{}) && !differ(size - 8, std::uint64_t{});
  if (size >= 4) return !differ(0, std::uint32_t{}) && !differ(size - 4, std::uint32_t{});
  for (std::size_t i = 0; i < size; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

// A 64-bit hash that is the same on every machine; equality is always checked where a clash would
// matter.
inline std::uint64_t hash_step(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
  return hash ^ (hash >> 29);
}
std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t seed = 0);
// A hash of the text with each run of digits as one: 12.5 and 7.30 are alike.
std::uint64_t shape_key(std::string_view text);

}  // namespace tare::compact
