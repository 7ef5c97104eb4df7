// What every part of the reader needs: characters, numbers, faults and the bounded text being
// built.
//
// The reader shares nothing with the writer, so that a mistake in one cannot hide in the other.
// All functions are pure; an Output belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
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
// marks the output as full, so callers may check once for several appends. A limit that is not too
// large is reserved at once: who checks a form knows how long its text is.
class Output {
 public:
  explicit Output(std::size_t max_bytes) : max_bytes_(max_bytes) {
    if (max_bytes <= most_reserved) text_.reserve(max_bytes);
  }

  void append(std::string_view bytes) {
    if (fits(bytes.size())) text_.append(bytes);
  }
  void append(char byte) {
    if (fits(1)) text_.push_back(byte);
  }
  void append(std::size_t count, char byte) {
    if (fits(count)) text_.append(count, byte);
  }
  // Appends `count` copies of what stands from `begin` to the end.
  void repeat_tail(std::size_t begin, std::uint64_t count);
  // Appends what stands from `begin` to `end` again.
  void copy(std::size_t begin, std::size_t end) {
    if (fits(end - begin)) text_.append(text_, begin, end - begin);
  }

  bool full() const { return full_; }
  std::size_t size() const { return text_.size(); }
  std::string_view view() const { return text_; }
  std::string& text() { return text_; }

 private:
  static constexpr std::size_t most_reserved = std::size_t{32} << 20;

  bool fits(std::size_t bytes) {
    if (bytes <= max_bytes_ - text_.size()) return true;
    full_ = true;
    return false;
  }

  std::string text_;
  std::size_t max_bytes_;
  bool full_ = false;
};

}  // namespace tare::compact::reader
