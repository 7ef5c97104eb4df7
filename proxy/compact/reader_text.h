// What every part of the reader needs: characters, numbers, faults and the bounded text being
// built.
//
// The reader shares nothing with the writer, so that a mistake in one cannot hide in the other.
// All functions are pure; an Output belongs to one thread.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "common/error.h"

namespace tare::compact::reader {

// Bytes of the first character of `text`, which is not empty: a well-formed UTF-8 sequence, or one
// byte where there is none.
std::size_t character_bytes(std::string_view text);

// Characters of `text`. In UTF-8 these are the bytes that are not continuation bytes; each byte
// that belongs to no well-formed sequence counts as one.
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

// Takes decimal digits off the front: nothing when there are none or more than `max_digits`, which
// is at most 18.
std::optional<std::int64_t> take_number(std::string_view& text, std::size_t max_digits = 18);

// Takes `prefix` off the front when it is there.
bool take(std::string_view& text, std::string_view prefix);

// Where the last `count` lines of `lines`, each with its line feed, begin; 0 when there are no
// more.
std::size_t begin_of_last_lines(std::string_view lines, std::uint64_t count);

// A part of the form for a message: shortened, and without bytes that a terminal would obey.
std::string quoted(std::string_view text);

// "compact form, line 7: what".
Error fault(std::size_t form_line, std::string_view what, std::string remedy = {});
Error too_large(std::size_t form_line);
Error stopped();

// The text being built, never longer than `max_bytes`: an append that would not fit is left out and
// marks the output as full, so callers may check once for several appends. Or, where only a check
// is wanted, held against a text that is there already: then nothing is built, and what differs
// from it marks the output as full too.
class Output {
 public:
  explicit Output(std::size_t max_bytes) : Output(max_bytes, max_bytes) {}
  // A size that is not too large is reserved at once.
  Output(std::size_t max_bytes, std::size_t usual_bytes) : max_bytes_(max_bytes) {
    if (usual_bytes <= most_reserved) text_.reserve(usual_bytes);
  }
  // Against `expected`, which outlives the output; with a line feed behind it when `line_feed`.
  static Output against(std::string_view expected, bool line_feed) {
    Output output(expected.size() + (line_feed ? 1 : 0), 0);
    output.expected_ = expected;
    output.is_check_ = true;
    return output;
  }

  void append(std::string_view bytes) {
    if (!fits(bytes.size())) return;
    if (is_check_) {
      check(bytes);
    } else {
      text_.append(bytes);
    }
  }
  void append(char byte) {
    if (!fits(1)) return;
    if (is_check_) {
      check({&byte, 1});
    } else {
      text_.push_back(byte);
    }
  }
  void append(std::size_t count, char byte) {
    if (!fits(count)) return;
    if (is_check_) {
      check_all(count, byte);
    } else {
      text_.append(count, byte);
    }
  }
  // Appends `count` copies of what stands from `begin` to the end.
  void repeat_tail(std::size_t begin, std::uint64_t count);
  // Appends what stands from `begin` to `end` again.
  void copy(std::size_t begin, std::size_t end) {
    if (begin == end || !fits(end - begin)) return;
    if (is_check_) {
      check(view().substr(begin, end - begin));
    } else {
      text_.append(text_, begin, end - begin);
    }
  }

  bool full() const { return full_; }
  // All of the text that it was held against came.
  bool is_complete() const { return !full_ && checked_ == max_bytes_; }
  std::size_t size() const { return is_check_ ? checked_ : text_.size(); }
  std::string_view view() const { return is_check_ ? expected_.substr(0, checked_) : text_; }
  std::string& text() { return text_; }

 private:
  static constexpr std::size_t most_reserved = std::size_t{32} << 20;

  bool fits(std::size_t bytes) {
    if (bytes <= max_bytes_ - size()) return true;
    full_ = true;
    return false;
  }
  // The next bytes of the expected text are these, which fit.
  void check(std::string_view bytes) {
    std::string_view rest = expected_.substr(std::min(checked_, expected_.size()));
    checked_ += bytes.size();
    if (rest.size() < bytes.size()) {
      full_ |= !bytes.ends_with('\n');
      bytes.remove_suffix(1);
    }
    full_ |= !rest.starts_with(bytes);
  }
  void check_all(std::size_t count, char byte) {
    for (; count > 0 && !full_; --count) check({&byte, 1});
  }

  std::string text_;
  std::size_t max_bytes_;
  bool full_ = false;
  std::string_view expected_;
  std::size_t checked_ = 0;  // bytes of the expected text that came
  bool is_check_ = false;
};

}  // namespace tare::compact::reader
