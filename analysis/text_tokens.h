// A text as a sequence of tokens, for asking whether a piece of one text stands in another: words,
// single signs, and one blank between two words that only blanks part. Blanks next to signs and at
// a line's ends are no tokens. Pure, linear.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tare::analysis {

enum class TokenKind { word, sign, blank, line_end };

struct TextToken {
  TokenKind kind = TokenKind::word;
  std::string_view text;   // empty for a blank or a line end
  std::uint64_t hash = 0;  // of kind and text: what tokens are compared by
};

// Steps through a text. A word is as in words_of() (literals.h).
class TokenReader {
 public:
  explicit TokenReader(std::string_view text) : text_(text) {}
  bool next(TextToken& token);

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  bool after_word_ = false;
};

// Without a terminal's control sequences (ESC [ ... letter).
std::string without_colours(std::string_view text);

bool holds_digit(std::string_view word);

}  // namespace tare::analysis
