#include "proxy/wire/source_text.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "proxy/wire/words.h"

namespace tare::wire {
namespace {

constexpr std::size_t max_lines = 400;
constexpr std::size_t max_line_bytes = 400;
constexpr std::size_t least_code_lines = 3;
// Of the lines that say something: at least this share is code, and at most that is rows of data.
constexpr std::size_t least_code_percent = 40;
constexpr std::size_t most_row_percent = 15;

bool is_word(char c) {
  return is_letter(c) || is_digit(c) || c == '_';
}

constexpr ByteSet blanks(" \t\r\f");

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && blanks.has(text.front())) text.remove_prefix(1);
  while (!text.empty() && blanks.has(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> first_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() < max_lines) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, std::min(end, max_line_bytes)));
    if (!line.empty()) lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// Bytes of a line number and what divides it from the line; 0 when there is none.
std::size_t number_width(std::string_view line) {
  const std::size_t digits =
      std::min(static_cast<std::size_t>(std::ranges::find_if_not(line, is_digit) - line.begin()),
               line.size());
  if (digits == 0 || digits > 7) return 0;
  const std::string_view rest = line.substr(digits);
  if (rest.empty()) return digits;  // the number of an empty line
  for (const std::string_view mark : {"\t", "→", ": ", ":", " | ", " |", "|", "  "}) {
    if (rest.starts_with(mark)) return digits + mark.size();
  }
  return 0;
}

// Takes away line numbers that stand before nearly all lines.
void drop_numbers(std::vector<std::string_view>& lines) {
  std::size_t others = 0;
  for (const std::string_view line : lines) {
    if (number_width(line) == 0 && 10 * ++others > lines.size()) return;
  }
  for (std::string_view& line : lines) line = trimmed(line.substr(number_width(line)));
  std::erase_if(lines, [](std::string_view line) { return line.empty(); });
}

// 2026-09-15..., 12:00:00..., [2026-..., Aug 27 10:...
bool begins_with_time(std::string_view line) {
  if (line.starts_with('[')) line.remove_prefix(1);
  const auto shape = [&](std::string_view pattern) {  // 0 is a digit, a a letter
    return line.size() >= pattern.size() &&
           std::ranges::equal(line.substr(0, pattern.size()), pattern, [](char c, char p) {
             return p == '0' ? is_digit(c) : p == 'a' ? is_letter(c) : c == p;
           });
  };
  return shape("0000-00-00") || shape("0000/00/00") || shape("00:00:00") || shape("00:00.") ||
         shape("aaa 00 00:00") || shape("aaa  0 00:00") || shape("aaa aaa 00 00:");
}

// path:12: and path-12-, as searches print them.
bool is_search_row(std::string_view line) {
  constexpr ByteSet telling(":- \t\"'(){}=;");
  constexpr ByteSet of_paths("./\\");
  for (std::size_t at = telling.find_in(line); at != std::string_view::npos;
       at = telling.find_in(line, at + 1)) {
    if (line[at] != ':' && line[at] != '-') return false;  // no path
    const std::string_view rest = line.substr(at + 1);
    std::size_t digits = 0;
    while (digits < rest.size() && is_digit(rest[digits])) ++digits;
    if (digits > 0 && digits < rest.size() && rest[digits] == line[at] &&
        of_paths.find_in(line.substr(0, at)) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

// A member of JSON: "key": value.
bool is_json_member(std::string_view line) {
  if (!line.starts_with('"')) return false;
  const std::size_t end = line.find('"', 1);
  return end != std::string_view::npos && trimmed(line.substr(end + 1)).starts_with(':');
}

// A JSON document, at least as far as its beginning shows.
bool begins_like_json(std::span<const std::string_view> lines) {
  if (lines[0][0] != '{' && lines[0][0] != '[') return false;
  std::string_view next = trimmed(lines[0].substr(1));
  if (next.empty() && lines.size() > 1) next = lines[1];
  if (next.empty()) return true;
  if (lines[0][0] == '{') return next[0] == '"' || next[0] == '}';
  return is_digit(next[0]) || std::string_view("\"{[]-tfn").find(next[0]) != std::string_view::npos;
}

constexpr std::array<std::string_view, 13> directives = {
    "define", "elif",   "else",    "endif",  "error", "if",     "ifdef",
    "ifndef", "import", "include", "pragma", "undef", "warning"};

// #define, # define
bool is_directive(std::string_view line) {
  if (!line.starts_with('#')) return false;
  line = trimmed(line.substr(1));
  const auto end = std::ranges::find_if_not(line, is_letter);
  const std::string_view word(line.begin(), end);
  // A comment may begin with such a word and then goes on as a sentence.
  return std::ranges::binary_search(directives, word) && std::ranges::count(line, ' ') <= 6;
}

constexpr auto keywords = std::to_array<std::string_view>(
    {"abstract", "and",       "assert", "async",    "await",    "begin",   "break",
     "case",     "catch",     "class",  "const",    "continue", "create",  "def",
     "default",  "defer",     "del",    "describe", "do",       "done",    "elif",
     "else",     "elsif",     "end",    "endif",    "enum",     "esac",    "except",
     "export",   "extends",   "extern", "fi",       "final",    "finally", "fn",
     "for",      "foreach",   "from",   "func",     "function", "go",      "goto",
     "if",       "impl",      "import", "in",       "include",  "inline",  "interface",
     "it",       "lambda",    "let",    "local",    "match",    "mod",     "module",
     "my",       "namespace", "new",    "package",  "pass",     "private", "protected",
     "pub",      "public",    "raise",  "require",  "return",   "select",  "static",
     "struct",   "sub",       "super",  "switch",   "template", "then",    "throw",
     "trait",    "try",       "type",   "typedef",  "typename", "union",   "unless",
     "unsafe",   "use",       "using",  "var",      "void",     "when",    "while",
     "with"});
static_assert(std::ranges::is_sorted(keywords));

// A keyword in front, and not the beginning of a sentence.
bool begins_with_keyword(std::string_view line) {
  std::size_t end = 0;
  while (end < line.size() && is_word(line[end])) ++end;
  const std::string_view word = line.substr(0, end);
  if (!std::ranges::binary_search(keywords, word)) return false;
  constexpr ByteSet of_code("(){}[];:=<>\"'$\\*/");
  return end == line.size() || of_code.find_in(line, end) != std::string_view::npos ||
         std::ranges::count(line, ' ') <= 3;
}

// name = ..., name.part[i] += ..., Type name = ..., and NAME=value where nothing else is on the
// line.
bool is_assignment(std::string_view line) {
  const std::size_t at = line.find('=');
  if (at == std::string_view::npos || at == 0 || at + 1 == line.size()) return false;
  if (line[at + 1] == '=' || std::string_view("!<>").find(line[at - 1]) != std::string_view::npos) {
    return false;
  }
  const std::string_view before = line.substr(0, at);
  const auto name_end = before.find_last_not_of(" \t+-*/|&:?%^.");
  if (name_end == std::string_view::npos) return false;
  const std::string_view left = before.substr(0, name_end + 1);
  const bool has_blank = line[name_end + 1] == ' ' || line[name_end + 1] == '\t';
  if (!has_blank && line.find_first_of(" \t=", at + 1) != std::string_view::npos) return false;
  return (is_word(left[0]) || left[0] == '$') && !is_digit(left[0]) &&
         std::ranges::count(left, ' ') <= 3 && std::ranges::all_of(left, [](char c) {
           constexpr ByteSet of_names(" .[]$*&>-:,'\"<@");
           return is_word(c) || of_names.has(c);
         });
}

// name(...): a call or the head of a function on a line of its own.
bool is_call(std::string_view line) {
  const auto at = line.find('(');
  if (at == std::string_view::npos || at == 0 ||
      !std::ranges::all_of(line.substr(0, at), [](char c) {
        constexpr ByteSet of_calls(".:$->");
        return is_word(c) || of_calls.has(c);
      })) {
    return false;
  }
  int open = 0;
  for (std::size_t i = at; i < line.size(); ++i) {
    open += line[i] == '(' ? 1 : line[i] == ')' ? -1 : 0;
    if (open == 0) return i + 1 == line.size();
  }
  return line.ends_with(',');
}

bool is_tag(std::string_view line) {
  return line.size() > 2 && line[0] == '<' &&
         (is_letter(line[1]) || line[1] == '/' || line[1] == '!') &&
         (line.ends_with('>') || line.ends_with('"'));
}

// Comments, blocks of them and long strings: they tell nothing, as prose has lines like theirs.
class Comments {
 public:
  // Whether the next line of the text is one, or within one.
  bool hold(std::string_view line) {
    if (!end_.empty()) {
      if (line.find(end_) != std::string_view::npos) end_ = {};
      return true;
    }
    for (const auto& [begin, end] : blocks) {
      if (!line.starts_with(begin)) continue;
      if (line.find(end, begin.size()) == std::string_view::npos) end_ = end;
      return true;
    }
    return line == "*" || line == "#" || line == "--" ||
           std::ranges::any_of(marks,
                               [&](std::string_view mark) { return line.starts_with(mark); });
  }

 private:
  struct Block {
    std::string_view begin;
    std::string_view end;
  };
  static constexpr std::array<Block, 8> blocks = {{{"/*", "*/"},
                                                   {"\"\"\"", "\"\"\""},
                                                   {"r\"\"\"", "\"\"\""},
                                                   {"'''", "'''"},
                                                   {"<!--", "-->"},
                                                   {"=head", "=cut"},
                                                   {"=pod", "=cut"},
                                                   {"=begin", "=end"}}};
  static constexpr std::array<std::string_view, 8> marks = {"//",  "*/",  "* ", "# ",
                                                            "-- ", ";; ", "#!", "%"};

  std::string_view end_;  // of the block that is open
};

bool is_code(std::string_view line) {
  if (std::string_view("{};").find(line.back()) != std::string_view::npos) return true;
  for (const std::string_view end :
       {"(", "=>", "->", "):", "\\", "[", "),", "])", "})", "&&", "||"}) {
    if (line.ends_with(end)) return true;
  }
  return std::string_view(")]}@").find(line[0]) != std::string_view::npos || is_directive(line) ||
         begins_with_keyword(line) || is_assignment(line) || is_call(line) || is_tag(line);
}

// File "a.py", line 12, in f: of a traceback.
bool is_traceback_row(std::string_view line) {
  return line.starts_with("File \"") && line.find("\", line ") != std::string_view::npos;
}

bool is_row(std::string_view line) {
  return is_traceback_row(line) || begins_with_time(line) || is_search_row(line) ||
         is_json_member(line);
}

}  // namespace

bool is_source(std::string_view text) {
  auto lines = first_lines(text);
  drop_numbers(lines);
  if (!lines.empty() && lines[0].starts_with("#!/")) return true;
  if (lines.empty() || lines[0].starts_with("<?xml") || begins_like_json(lines)) return false;
  std::size_t code = 0;
  std::size_t rows = 0;
  std::size_t silent = 0;
  const auto are_too_many = [](std::size_t count, std::size_t telling) {
    return 100 * count > most_row_percent * telling;
  };
  Comments comments;
  for (const std::string_view line : lines) {
    if (!is_directive(line) && comments.hold(line)) {
      ++silent;
    } else if (is_row(line)) {
      if (are_too_many(++rows, lines.size())) return false;  // whatever follows
    } else if (is_code(line)) {
      ++code;
    }
  }
  const std::size_t telling = lines.size() - silent;
  return code >= least_code_lines && 100 * code >= least_code_percent * telling &&
         !are_too_many(rows, telling);
}

}  // namespace tare::wire
