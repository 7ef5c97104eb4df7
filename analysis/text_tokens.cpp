#include "analysis/text_tokens.h"

#include <algorithm>
#include <functional>

#include "analysis/literals.h"

namespace tare::analysis {
namespace {

constexpr std::uint64_t blank_hash = 0x9e3779b97f4a7c15;
constexpr std::uint64_t line_end_hash = 0xc2b2ae3d27d4eb4f;

// The length of a terminal's control sequence (ESC [ ... letter) at `at`, or 0.
std::size_t control_sequence(std::string_view text, std::size_t at) {
  if (at + 1 >= text.size() || text[at] != '\x1b' || text[at + 1] != '[') return 0;
  std::size_t end = at + 2;
  while (end < text.size() && text[end] >= ' ' && text[end] < '@') ++end;
  return end < text.size() ? end + 1 - at : 0;
}

}  // namespace

bool holds_digit(std::string_view word) {
  return std::ranges::any_of(word, [](char c) { return c >= '0' && c <= '9'; });
}

std::string without_colours(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t escape = std::min(text.find('\x1b', at), text.size());
    plain += text.substr(at, escape - at);
    if (escape == text.size()) break;
    const std::size_t length = control_sequence(text, escape);
    if (length == 0) plain += '\x1b';
    at = escape + std::max<std::size_t>(length, 1);
  }
  return plain;
}

bool TokenReader::next(TextToken& token) {
  const std::size_t begin = at_;
  at_ = std::min(text_.find_first_not_of(" \t\r", at_), text_.size());
  const bool blanks = at_ > begin;
  if (at_ >= text_.size()) return false;
  const std::size_t length = word_length(text_, at_);
  if (length > 0 && blanks && after_word_) {
    token = {TokenKind::blank, {}, blank_hash};
    after_word_ = false;
    return true;
  }
  after_word_ = length > 0;
  const std::string_view text = text_.substr(at_, std::max<std::size_t>(length, 1));
  at_ += text.size();
  if (text == "\n") {
    token = {TokenKind::line_end, {}, line_end_hash};
  } else {
    token = {length > 0 ? TokenKind::word : TokenKind::sign, text,
             std::hash<std::string_view>{}(text)};
  }
  return true;
}

}  // namespace tare::analysis
