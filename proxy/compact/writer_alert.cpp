#include "proxy/compact/writer_alert.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "proxy/compact/chars.h"

namespace tare::compact {
namespace {

constexpr std::size_t few_alerts = 3;  // are exceptional in any text

constexpr std::array<std::string_view, 13> words{
    "critical", "denied", "error", "errors",    "exception", "fail",   "failed",
    "failure",  "fatal",  "panic", "traceback", "warn",      "warning"};

constexpr std::size_t min_word = 4;
constexpr std::size_t max_word = 9;

constexpr char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

// What the second letter of a word with this first letter can be: one bit for each, by its low five
// bits, which upper and lower case share.
constexpr std::array<std::uint32_t, 256> second_letters = [] {
  std::array<std::uint32_t, 256> table{};
  for (const std::string_view word : words) {
    const std::uint32_t bit = 1U << (word[1] & 31);
    table[static_cast<unsigned char>(word[0])] |= bit;
    table[static_cast<unsigned char>(word[0] - ('a' - 'A'))] |= bit;
  }
  return table;
}();

// Zero for nearly all bytes that begin no alert word; without a branch.
std::uint32_t may_begin_word(const char* at) {
  return second_letters[static_cast<unsigned char>(at[0])] >> (at[1] & 31) & 1U;
}

// Where an alert word may begin, from `at` on; `last`, the last byte, when nowhere. Four bytes at a
// time.
const char* next_beginning(const char* at, const char* last) {
  while (last - at >= 4 && (may_begin_word(at) | may_begin_word(at + 1) | may_begin_word(at + 2) |
                            may_begin_word(at + 3)) == 0)
    at += 4;
  while (at < last && may_begin_word(at) == 0) ++at;
  return at;
}

bool equal_in_any_case(std::string_view text, std::string_view word) {
  return std::ranges::equal(text, word, [](char a, char b) { return lower(a) == b; });
}

}  // namespace

bool is_alert(std::string_view line) {
  if (line.empty()) return false;
  const char* const last = &line.back();
  for (const char* at = line.data(); (at = next_beginning(at, last)) < last; ++at) {
    if (at > line.data() && is_word(at[-1])) continue;
    const char* end = at + 1;
    while (end <= last && is_word(*end)) ++end;
    const std::string_view text(at, static_cast<std::size_t>(end - at));
    at = end - 1;
    if (text.size() < min_word || text.size() > max_word) continue;
    if (std::ranges::any_of(words,
                            [&](std::string_view word) { return equal_in_any_case(text, word); }))
      return true;
  }
  return false;
}

bool are_few(std::size_t alerts, std::size_t lines) {
  return alerts <= std::max(few_alerts, lines / 5);
}

std::vector<bool> find_alerts(std::span<const std::string_view> lines,
                              std::span<const std::uint32_t> twins, const std::stop_token& stop) {
  std::vector<bool> alerts(lines.size(), false);
  for (std::size_t i = 0; i < lines.size() && !stop.stop_requested(); ++i) {
    alerts[i] = twins[i] < i ? alerts[twins[i]] : is_alert(lines[i]);
  }
  return alerts;
}

}  // namespace tare::compact
