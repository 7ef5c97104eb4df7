#include "proxy/compact/reader_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace tare::compact::reader {
namespace {

bool is_continuation(unsigned char byte) {
  return (byte & 0xC0) == 0x80;
}

// The bytes a lead byte announces, and the range its second byte must be in (Unicode, table 3-7).
struct Sequence {
  std::size_t bytes;
  unsigned char second_low = 0x80;
  unsigned char second_high = 0xBF;
};

Sequence sequence_of(unsigned char lead) {
  if (lead < 0x80) return {1};
  if (lead < 0xC2 || lead > 0xF4) return {0};
  if (lead < 0xE0) return {2};
  if (lead == 0xE0) return {3, 0xA0, 0xBF};
  if (lead == 0xED) return {3, 0x80, 0x9F};
  if (lead < 0xF0) return {3};
  if (lead == 0xF0) return {4, 0x90, 0xBF};
  if (lead == 0xF4) return {4, 0x80, 0x8F};
  return {4};
}

}  // namespace

std::size_t character_bytes(std::string_view text) {
  const auto at = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const Sequence sequence = sequence_of(at(0));
  if (sequence.bytes < 2 || sequence.bytes > text.size()) return 1;
  if (at(1) < sequence.second_low || at(1) > sequence.second_high) return 1;
  for (std::size_t i = 2; i < sequence.bytes; ++i) {
    if (!is_continuation(at(i))) return 1;
  }
  return sequence.bytes;
}

std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  while (!text.empty()) {
    while (text.size() >= word_bytes && (word_at(text.data()) & high_bits) == 0) {
      text.remove_prefix(word_bytes);
      count += word_bytes;
    }
    if (text.empty()) break;
    text.remove_prefix(character_bytes(text));
    ++count;
  }
  return count;
}

std::optional<std::int64_t> take_number(std::string_view& text, std::size_t max_digits) {
  const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0 || digits > max_digits) return std::nullopt;
  std::int64_t number = 0;
  for (const char digit : text.substr(0, digits)) number = number * 10 + (digit - '0');
  text.remove_prefix(digits);
  return number;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::size_t begin_of_last_lines(std::string_view lines, std::uint64_t count) {
  std::size_t begin = lines.size();
  for (; count > 0 && begin > 1; --count) {
    const auto before = lines.rfind('\n', begin - 2);
    if (before == std::string_view::npos) return 0;
    begin = before + 1;
  }
  return count > 0 ? 0 : begin;
}

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string out = "'";
  for (const char c : text.substr(0, longest)) out += c >= ' ' && c <= '~' ? c : '?';
  return out + (text.size() > longest ? "...'" : "'");
}

Error fault(std::size_t form_line, std::string_view what, std::string remedy) {
  return Error::invalid(fmt::format("compact form, line {}: {}", form_line, what),
                        std::move(remedy));
}

Error too_large(std::size_t form_line) {
  return fault(form_line, "the text it stands for is longer than the limit",
               "a larger --max-bytes lets it through, if the form is to be trusted");
}

Error stopped() {
  return Error::invalid("the form was not read to its end: a stop was requested");
}

void Output::repeat_tail(std::size_t begin, std::uint64_t count) {
  const std::size_t period = size() - begin;
  if (period == 0) return;
  if (count > (max_bytes_ - size()) / period) {
    full_ = true;
    return;
  }
  const std::size_t end = size() + period * static_cast<std::size_t>(count);
  if (!is_check_) text_.reserve(end);
  // What stands from `begin` on has the period already, so each copy may take all of it.
  while (size() < end && !full_) copy(begin, begin + std::min(size() - begin, end - size()));
}

}  // namespace tare::compact::reader
