#include "analysis/o200k_pieces.h"

#include <array>
#include <optional>

#include "analysis/unicode_classes.h"
#include "analysis/utf8.h"

namespace tare::analysis {
namespace {

using Mask = unsigned;

constexpr Mask mask(CharClass kind) {
  return static_cast<Mask>(kind);
}
constexpr Mask both_cases = mask(CharClass::letter) | mask(CharClass::mark);
constexpr Mask capitals = mask(CharClass::upper) | both_cases;
constexpr Mask smalls = mask(CharClass::lower) | both_cases;
constexpr Mask numbers = mask(CharClass::number);
constexpr Mask line_ends = mask(CharClass::line_end);
constexpr Mask blanks = mask(CharClass::blank) | line_ends;
constexpr Mask signs = mask(CharClass::other) | mask(CharClass::mark);  // [^\s\p{L}\p{N}]
constexpr Mask prefixes = signs | mask(CharClass::blank);               // [^\r\n\p{L}\p{N}]

constexpr auto ascii_classes = [] {
  std::array<Mask, 128> classes{};
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool lower = c >= 'a' && c <= 'z';
    const bool number = c >= '0' && c <= '9';
    const bool blank = c == ' ' || c == '\t' || c == '\v' || c == '\f';
    const bool line_end = c == '\n' || c == '\r';
    classes[c] = upper      ? mask(CharClass::upper)
                 : lower    ? mask(CharClass::lower)
                 : number   ? numbers
                 : blank    ? mask(CharClass::blank)
                 : line_end ? line_ends
                            : mask(CharClass::other);
  }
  return classes;
}();

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  // The bytes of the character at `at` when it is of one of the classes, else 0.
  std::size_t match(std::size_t at, Mask classes) const {
    if (at >= text_.size()) return 0;
    const auto byte = static_cast<unsigned char>(text_[at]);
    if (byte < ascii_classes.size()) return (ascii_classes[byte] & classes) != 0 ? 1 : 0;
    const CodePoint point = code_point_at(text_, at);
    return (mask(class_of(point.code)) & classes) != 0 ? point.bytes : 0;
  }

  // The end of the run of such characters.
  std::size_t run(std::size_t at, Mask classes) const {
    while (const std::size_t bytes = match(at, classes)) at += bytes;
    return at;
  }

  // [capitals]*[smalls]+
  std::optional<std::size_t> word_with_smalls(std::size_t at) const {
    std::optional<std::size_t> after_last_of_both;
    while (const std::size_t bytes = match(at, capitals)) {
      const bool both = match(at, both_cases) != 0;
      at += bytes;
      if (both) after_last_of_both = at;
    }
    // The capitals give back up to the last character that may be a small letter too.
    return match(at, smalls) != 0 ? run(at, smalls) : after_last_of_both;
  }

  // [capitals]+[smalls]*
  std::optional<std::size_t> word_with_capitals(std::size_t at) const {
    const std::size_t end = run(at, capitals);
    if (end == at) return std::nullopt;
    return run(end, smalls);
  }

  // (?i:'s|'t|'re|'ve|'m|'ll|'d)?
  std::size_t contraction(std::size_t at) const {
    if (at >= text_.size() || text_[at] != '\'') return at;
    const auto rest = text_.substr(at + 1);
    for (const std::string_view ending : {"s", "\xC5\xBF", "t", "re", "ve", "m", "ll", "d"}) {
      if (starts_with_in_any_case(rest, ending)) return at + 1 + ending.size();
    }
    return at;
  }

  // The first two alternatives: a mark may stand before the word, or, being one, begin it.
  std::optional<std::size_t> word(std::size_t at) const {
    const std::size_t inner = at + match(at, prefixes);
    for (const auto form : {&Scanner::word_with_smalls, &Scanner::word_with_capitals}) {
      if (const auto end = (this->*form)(inner)) return contraction(*end);
      if (inner == at) continue;
      if (const auto end = (this->*form)(at)) return contraction(*end);
    }
    return std::nullopt;
  }

  std::optional<std::size_t> number(std::size_t at) const {
    std::size_t end = at;
    for (int digits = 0; digits < 3; ++digits) end += match(end, numbers);
    if (end == at) return std::nullopt;
    return end;
  }

  std::optional<std::size_t> signs_run(std::size_t at) const {
    const std::size_t begin = at + (text_[at] == ' ' ? 1 : 0);
    std::size_t end = run(begin, signs);
    if (end == begin) return std::nullopt;
    while (end < text_.size() && (match(end, line_ends) != 0 || text_[end] == '/')) ++end;
    return end;
  }

  // What is left are blanks: to the last line end of the run, else all but the last before a text.
  std::size_t blanks_run(std::size_t at) const {
    std::size_t after_line_end = at;
    std::size_t last = at;
    std::size_t end = at;
    while (const std::size_t bytes = match(end, blanks)) {
      last = end;
      if (match(end, line_ends) != 0) after_line_end = end + 1;
      end += bytes;
    }
    if (after_line_end > at) return after_line_end;
    return end < text_.size() && last > at ? last : end;
  }

 private:
  static bool starts_with_in_any_case(std::string_view text, std::string_view small) {
    if (text.size() < small.size()) return false;
    for (std::size_t i = 0; i < small.size(); ++i) {
      const char c = text[i];
      if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != small[i]) return false;
    }
    return true;
  }

  std::string_view text_;
};

}  // namespace

std::size_t end_of_piece(std::string_view text, std::size_t at) {
  const Scanner scanner(text);
  if (const auto end = scanner.word(at)) return *end;
  if (const auto end = scanner.number(at)) return *end;
  if (const auto end = scanner.signs_run(at)) return *end;
  return scanner.blanks_run(at);
}

}  // namespace tare::analysis
