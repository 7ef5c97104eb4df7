#include "analysis/tokens.h"

#include <algorithm>
#include <cstddef>

namespace tare::analysis {
namespace {

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_letter(char c) {
  return is_upper(c) || is_lower(c);
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_break(char c) {
  return c == '\n' || c == '\r';
}
bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r') || (c >= '\x1c' && c <= '\x1f');
}
bool is_wide(char c) {
  return static_cast<unsigned char>(c) >= 0x80;
}
bool is_mark(char c) {
  return !is_blank(c) && !is_letter(c) && !is_digit(c) && !is_wide(c);
}

template <typename Predicate>
std::size_t run(std::string_view text, std::size_t at, Predicate belongs) {
  std::size_t n = 0;
  while (at + n < text.size() && belongs(text[at + n])) ++n;
  return n;
}

// A run of letters as the tokenizer cuts it: capitals then small letters, or capitals only.
std::size_t word_length(std::string_view text, std::size_t at) {
  const std::size_t capitals = run(text, at, is_upper);
  return capitals + run(text, at + capitals, is_lower);
}

// Vocabularies hold most short words whole, more of them after a space; a mark in front is often
// merged.
double word_cost(std::string_view word, char before) {
  const std::size_t n = word.size();
  const double length = static_cast<double>(n);
  const bool capitals = std::all_of(word.begin(), word.end(), is_upper);
  double cost = 0;
  if (capitals && n > 1) {
    cost = 1 + 0.16 * (length - 2);
  } else if (is_upper(word[0]) && n > 1 && !is_lower(word[1])) {
    cost = 2 + 0.15 * std::max(0.0, length - 4);
  } else if (n > 12) {
    cost = 1.6 + 0.3 * (length - 12);
  } else {
    const double whole = before == ' ' ? 4 : before == '\0' ? 3 : 1;
    cost = 1 + (before == ' ' ? 0.06 : 0.07) * std::max(0.0, length - whole);
  }
  return before == ' ' || before == '\0' ? cost : cost + 0.18;
}

double mark_cost(std::string_view marks) {
  const double n = static_cast<double>(marks.size());
  if (marks.size() <= 3) return 1;
  const bool rule = marks.find_first_not_of(marks[0]) == std::string_view::npos;
  return rule ? 1 + n / 16 : 1 + 0.36 * (n - 3);
}

// The blanks at `at`: up to the last line break of the run, else all but the last blank before a
// word.
std::size_t blank_length(std::string_view text, std::size_t at) {
  const std::size_t all = run(text, at, is_blank);
  std::size_t to_break = all;
  while (to_break > 0 && !is_break(text[at + to_break - 1])) --to_break;
  if (to_break > 0) return to_break;
  return at + all < text.size() && all > 1 ? all - 1 : all;
}

}  // namespace

double estimate_tokens(std::string_view text) {
  double tokens = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    const bool joins = !is_letter(c) && !is_digit(c) && !is_break(c) && !is_wide(c);
    const std::size_t prefix = joins ? 1 : 0;
    if (const std::size_t n = word_length(text, at + prefix); n > 0) {
      tokens += word_cost(text.substr(at + prefix, n), joins ? c : '\0');
      at += prefix + n;
    } else if (is_digit(c)) {
      tokens += 1;
      at += std::min<std::size_t>(3, run(text, at, is_digit));
    } else if (is_wide(c)) {
      const std::size_t wide = run(text, at, is_wide);
      tokens += std::max(1.0, static_cast<double>(wide) / 3.3);
      at += wide;
    } else if (const std::size_t marks = run(text, at + (c == ' ' ? 1 : 0), is_mark); marks > 0) {
      const std::size_t begin = at + (c == ' ' ? 1 : 0);
      const std::size_t tail =
          run(text, begin + marks, [](char x) { return is_break(x) || x == '/'; });
      std::size_t length = marks + tail;
      while (is_break(text[begin + length - 1])) --length;
      tokens += mark_cost(text.substr(begin, length));
      at = begin + marks + tail;
    } else {
      const std::size_t blanks = blank_length(text, at);
      tokens += 1 + static_cast<double>(blanks > 16 ? blanks - 16 : 0) / 32;
      at += blanks;
    }
  }
  return tokens;
}

}  // namespace tare::analysis
