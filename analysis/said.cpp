#include "analysis/said.h"

#include <algorithm>
#include <deque>
#include <optional>

#include "analysis/json_records.h"
#include "analysis/own_words.h"
#include "analysis/pattern_search.h"
#include "analysis/text_tokens.h"

namespace tare::analysis {
namespace {

std::vector<TextToken> tokens_of(std::string_view text) {
  std::vector<TextToken> tokens;
  TokenReader reader(text);
  for (TextToken token; reader.next(token);) tokens.push_back(token);
  return tokens;
}

std::vector<std::uint64_t> hashes_of(std::span<const TextToken> tokens) {
  std::vector<std::uint64_t> hashes;
  hashes.reserve(tokens.size());
  for (const auto& token : tokens) hashes.push_back(token.hash);
  return hashes;
}

void search_tokens(PatternSearch& search, std::string_view text) {
  search.begin();
  TokenReader reader(text);
  for (TextToken token; reader.next(token);) search.read(token.hash);
  search.end();
}

void search_bytes(PatternSearch& search, std::string_view text) {
  search.begin();
  for (const char c : text) search.read(static_cast<unsigned char>(c));
  search.end();
}

// From the word before the number at `at` to the word after it.
std::span<const TextToken> context(std::span<const TextToken> tokens, std::size_t at) {
  const auto is_word = [&](std::size_t i) { return tokens[i].kind == TokenKind::word; };
  std::size_t begin = at;
  for (std::size_t i = at; i-- > 0 && begin == at;) {
    if (is_word(i)) begin = i;
  }
  std::size_t last = at;
  for (std::size_t i = at + 1; i < tokens.size() && last == at; ++i) {
    if (is_word(i)) last = i;
  }
  return tokens.subspan(begin, last + 1 - begin);
}

// The text without colours; a copy only where it has any.
class Plain {
 public:
  explicit Plain(std::string_view text) : text_(text) {
    if (text.find('\x1b') == text.npos) return;
    copy_ = without_colours(text);
    text_ = copy_;
  }
  Plain(const Plain&) = delete;
  Plain& operator=(const Plain&) = delete;
  std::string_view text() const { return text_; }

 private:
  std::string copy_;
  std::string_view text_;
};

enum class Standing { unknown, stands, heads, rearranged };

// A line, or what is left of it between the arm's own words.
struct Piece {
  std::size_t line;
  std::string_view text;
  bool cut;
  std::size_t pattern = 0;
  Standing standing = Standing::unknown;
};

class Judge {
 public:
  Judge(std::span<const std::string_view> lines, std::string_view original,
        std::span<const std::string> markers, bool cut_at_end)
      : lines_(lines), original_(original), markers_(markers), cut_at_end_(cut_at_end) {}

  Said judge() {
    cut_into_pieces();
    if (!pieces_.empty()) {
      look_for_tokens();
      look_for_bytes();
      look_for_records();
    }
    Said said;
    for (std::size_t at = 0, line = 0; line < lines_.size(); ++line) {
      const std::size_t begin = at;
      bool stands = true;
      bool rearranged = false;
      bool heads = false;
      for (; at < pieces_.size() && pieces_[at].line == line; ++at) {
        stands = stands && pieces_[at].standing != Standing::unknown;
        rearranged = rearranged || pieces_[at].standing == Standing::rearranged;
        heads = heads || pieces_[at].standing == Standing::heads;
      }
      if (begin == at || (stands && heads)) {
        ++said.own;
      } else if (!stands) {
        said.false_lines.push_back(lines_[line]);
      } else if (rearranged) {
        ++said.rearranged;
      }
    }
    said.false_numbers = count_false_numbers();
    return said;
  }

 private:
  void cut_into_pieces() {
    for (std::size_t line = 0; line < lines_.size(); ++line) {
      plain_lines_.emplace_back(lines_[line]);
      const auto shown = shown_pieces(plain_lines_.back().text(), markers_);
      const bool cut = shown.cut || (cut_at_end_ && line + 1 == lines_.size());
      if (shown.cut && shown.pieces.empty()) mark_line_before(line);
      for (const auto piece : shown.pieces) {
        pieces_.push_back({.line = line, .text = piece, .cut = cut});
      }
    }
  }

  // A line that only says that something was left out says it of the line right before it too.
  void mark_line_before(std::size_t line) {
    if (pieces_.empty() || pieces_.back().line + 1 != line) return;
    const std::string_view before = lines_[line - 1];
    const std::string_view between(before.data() + before.size(), lines_[line].data());
    if (std::ranges::count(between, '\n') == 1) pieces_.back().cut = true;
  }

  // A piece stands when its tokens do, within one line.
  void look_for_tokens() {
    PatternSearch search;
    for (auto& piece : pieces_) piece.pattern = search.add(hashes_of(tokens_of(piece.text)));
    search_tokens(search, original_);
    settle(search, [](const Piece&) { return true; });
  }

  // Where the arm says that it cut, it may have cut a word in two.
  void look_for_bytes() {
    PatternSearch search;
    const auto is_asked = [](const Piece& piece) {
      return piece.cut && piece.standing == Standing::unknown;
    };
    std::vector<std::uint64_t> bytes;
    for (auto& piece : pieces_) {
      if (!is_asked(piece)) continue;
      bytes.assign(piece.text.begin(), piece.text.end());
      for (auto& byte : bytes) byte &= 0xFF;
      piece.pattern = search.add(bytes);
    }
    if (search.empty()) return;
    search_bytes(search, original_);
    settle(search, is_asked);
  }

  void look_for_records() {
    std::optional<JsonRecords> records;
    bool read = false;
    for (auto& piece : pieces_) {
      if (piece.standing != Standing::unknown) continue;
      if (!read) records = JsonRecords::of(original_);
      read = true;
      if (!records) return;
      if (const auto head = table_head(piece.text)) {
        if (records->heads(*head)) piece.standing = Standing::heads;
      } else if (records->says(piece.text)) {
        piece.standing = Standing::rearranged;
      }
    }
  }

  std::size_t count_false_numbers() const {
    PatternSearch search;
    std::size_t numbers = 0;
    for (const auto& piece : pieces_) {
      if (piece.standing != Standing::unknown) continue;
      const auto tokens = tokens_of(piece.text);
      for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i].kind != TokenKind::word || !holds_digit(tokens[i].text)) continue;
        search.add(hashes_of(context(tokens, i)));
        ++numbers;
      }
    }
    if (numbers == 0) return 0;
    search_tokens(search, original_);
    std::size_t stand = 0;
    for (std::size_t i = 0; i < numbers; ++i) stand += search.found(i) ? 1U : 0U;
    return numbers - stand;
  }

  template <typename Asked>
  void settle(const PatternSearch& search, Asked is_asked) {
    for (auto& piece : pieces_) {
      if (is_asked(piece) && search.found(piece.pattern)) piece.standing = Standing::stands;
    }
  }

  std::span<const std::string_view> lines_;
  std::string_view original_;
  std::span<const std::string> markers_;
  bool cut_at_end_;
  std::deque<Plain> plain_lines_;
  std::vector<Piece> pieces_;  // in the order of the lines
};

}  // namespace

Said judge_lines(std::span<const std::string_view> lines, std::string_view original,
                 std::span<const std::string> markers, bool cut_at_end) {
  if (lines.empty()) return {};
  const Plain plain(original);
  return Judge(lines, plain.text(), markers, cut_at_end).judge();
}

std::size_t count_standing(std::span<const std::string_view> lines, std::string_view text) {
  if (lines.empty()) return 0;
  const Plain plain(text);
  PatternSearch search;
  for (const auto line : lines) {
    const Plain words(line);
    search.add(hashes_of(tokens_of(words.text())));
  }
  search_tokens(search, plain.text());
  std::size_t standing = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) standing += search.found(i) ? 1U : 0U;
  return standing;
}

}  // namespace tare::analysis
