#include "analysis/own_words.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "analysis/literals.h"
#include "analysis/text_tokens.h"

namespace tare::analysis {
namespace {

constexpr std::string_view blanks = " \t\r";
constexpr std::string_view times_sign = "\u00d7";
constexpr std::string_view ellipsis = "\u2026";
constexpr std::size_t longest_statement_bytes = 240;  // in brackets, inside a line

constexpr std::array omission_words{
    std::string_view("omitted"),    std::string_view("elided"),     std::string_view("truncated"),
    std::string_view("skipped"),    std::string_view("dropped"),    std::string_view("hidden"),
    std::string_view("removed"),    std::string_view("stripped"),   std::string_view("suppressed"),
    std::string_view("compressed"), std::string_view("compacted"),  std::string_view("compact"),
    std::string_view("collapsed"),  std::string_view("folded"),     std::string_view("offloaded"),
    std::string_view("summarized"), std::string_view("sampled"),    std::string_view("repeated"),
    std::string_view("duplicate"),  std::string_view("duplicates"), std::string_view("similar"),
    std::string_view("identical"),  std::string_view("more"),       std::string_view("retrieve"),
    std::string_view("legend"),     std::string_view("cached"),     std::string_view("saved"),
    std::string_view("recovery"),   std::string_view("same"),
};

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string lowered(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

bool take_front(std::string_view& text, std::string_view part) {
  if (!text.starts_with(part)) return false;
  text.remove_prefix(part.size());
  return true;
}

bool take_back(std::string_view& text, std::string_view part) {
  if (!text.ends_with(part)) return false;
  text.remove_suffix(part.size());
  return true;
}

std::optional<std::size_t> whole_number(std::string_view digits) {
  std::size_t number = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (digits.empty() || fault != std::errc() || end != digits.data() + digits.size()) return {};
  return number;
}

char closer_of(char opener) {
  switch (opener) {
    case '[':
      return ']';
    case '(':
      return ')';
    case '<':
      return '>';
    case '{':
      return '}';
    default:
      return '\0';
  }
}

std::string_view without_brackets(std::string_view text) {
  const bool in_brackets = text.size() >= 2 && text.front() != '{' && text.front() != '<' &&
                           closer_of(text.front()) == text.back();
  return in_brackets ? text.substr(1, text.size() - 2) : text;
}

// "x5", "5x", and within brackets "5 times", "repeated 5 times".
std::optional<std::size_t> count_of(std::string_view text) {
  std::string_view inner = trimmed(without_brackets(text));
  const bool bracketed = inner.size() < text.size();
  const std::string lower = lowered(inner);
  inner = lower;
  if (bracketed) take_front(inner, "repeated ");
  const bool signed_count = take_front(inner, "x") || take_front(inner, times_sign) ||
                            take_back(inner, "x") || take_back(inner, times_sign) ||
                            (bracketed && take_back(inner, " times"));
  return signed_count ? whole_number(inner) : std::nullopt;
}

constexpr std::array comment_signs{std::string_view("#"),   std::string_view("//"),
                                   std::string_view("---"), std::string_view("==="),
                                   std::string_view("..."), ellipsis};

// All of it in brackets, or begun as a comment is.
bool is_set_apart(std::string_view line) {
  if (line.empty()) return false;
  return closer_of(line.front()) == line.back() ||
         std::ranges::any_of(comment_signs,
                             [&](std::string_view sign) { return line.starts_with(sign); });
}

// The place after the bracket that closes the one at `at`, when it is near; else 0.
std::size_t end_of_brackets(std::string_view line, std::size_t at) {
  const char opener = line[at];
  const char closer = closer_of(opener);
  if (closer == '\0') return 0;
  const std::size_t last = std::min(line.size(), at + longest_statement_bytes);
  std::size_t depth = 0;
  for (std::size_t i = at; i < last; ++i) {
    if (line[i] == opener) ++depth;
    if (line[i] == closer && --depth == 0) return i + 1;
  }
  return 0;
}

class Cutter {
 public:
  Cutter(std::string_view line, std::span<const std::string> markers)
      : line_(line), markers_(markers) {}

  ShownPieces pieces() {
    while (at_ < line_.size()) {
      if (const std::size_t length = own_at(); length > 0) {
        add(line_.substr(begin_, at_ - begin_));
        shown_.cut = true;
        at_ += length;
        begin_ = at_;
      } else {
        ++at_;
      }
    }
    add(line_.substr(begin_));
    return std::move(shown_);
  }

 private:
  // The length of the arm's own words at `at_`, or 0.
  std::size_t own_at() const {
    const std::string_view rest = line_.substr(at_);
    for (const auto& marker : markers_) {
      if (!marker.empty() && rest.starts_with(marker)) return marker.size();
    }
    if (rest.starts_with(ellipsis)) return ellipsis.size();
    if (rest.starts_with("...")) return std::min(rest.find_first_not_of('.'), rest.size());
    const std::size_t end = end_of_brackets(line_, at_);
    if (end == 0) return 0;
    const std::string_view inner = line_.substr(at_ + 1, end - at_ - 2);
    const bool only_dots = inner == ellipsis || inner == "...";
    return only_dots || speaks_of_omission(inner) ? end - at_ : 0;
  }

  void add(std::string_view piece) {
    piece = trimmed(piece);
    if (!words_of(piece).empty()) shown_.pieces.push_back(piece);
  }

  std::string_view line_;
  std::span<const std::string> markers_;
  std::size_t begin_ = 0;
  std::size_t at_ = 0;
  ShownPieces shown_;
};

}  // namespace

std::optional<CountedLine> counted_line(std::string_view whole) {
  const std::string_view line = trimmed(whole);
  const auto first_blank = line.find_first_of(blanks);
  if (first_blank == line.npos) return std::nullopt;
  if (const auto times = count_of(line.substr(0, first_blank))) {
    return CountedLine{trimmed(line.substr(first_blank)), *times};
  }
  std::size_t begin = line.find_last_of(blanks) + 1;
  if (line.back() == ')' || line.back() == ']') {
    begin = line.find_last_of(line.back() == ')' ? '(' : '[');
    if (begin == line.npos || begin == 0 || line[begin - 1] != ' ') return std::nullopt;
  }
  if (const auto times = count_of(line.substr(begin))) {
    // With what stands before it: indentation counts.
    const auto text = trimmed(line.substr(0, begin));
    return CountedLine{whole.substr(0, text.empty() ? 0 : whole.find(text.front()) + text.size()),
                       *times};
  }
  return std::nullopt;
}

bool refers_to_other_output(std::string_view line) {
  line = trimmed(line);
  return is_set_apart(line) && std::ranges::any_of(words_of(line), [](std::string_view word) {
           const std::string lower = lowered(word);
           return lower == "same" || lower == "identical";
         });
}

std::optional<std::size_t> repeats_of_previous(std::string_view line) {
  line = trimmed(line);
  if (!is_set_apart(line)) return std::nullopt;
  bool repeats = false;
  std::optional<std::size_t> number;
  for (const auto word : words_of(line)) {
    const std::string lower = lowered(word);
    repeats = repeats || lower == "repeated" || lower == "repeats" || lower == "identical" ||
              lower == "duplicate" || lower == "duplicates";
    std::string_view digits = lower;
    if (!take_front(digits, "x")) take_front(digits, times_sign);
    const auto found = whole_number(digits);
    if (found && number) return std::nullopt;
    if (found) number = found;
  }
  return repeats ? number : std::nullopt;
}

bool speaks_of_omission(std::string_view text) {
  for (const auto word : words_of(text)) {
    const std::string lower = lowered(word);
    for (std::size_t begin = 0; begin < lower.size();) {
      const std::size_t end = std::min(lower.find_first_of("_-./@+", begin), lower.size());
      if (std::ranges::find(omission_words, std::string_view(lower).substr(begin, end - begin)) !=
          omission_words.end()) {
        return true;
      }
      begin = end + 1;
    }
  }
  return false;
}

ShownPieces shown_pieces(std::string_view line, std::span<const std::string> markers) {
  line = trimmed(line);
  const bool own = is_set_apart(line) && speaks_of_omission(line) &&
                   std::ranges::any_of(words_of(line), holds_digit);
  if (own) return {.pieces = {}, .cut = true};
  return Cutter(line, markers).pieces();
}

}  // namespace tare::analysis
