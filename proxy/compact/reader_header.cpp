#include "proxy/compact/reader_header.h"

#include <fmt/format.h>

#include <algorithm>

#include "proxy/compact/reader_text.h"

namespace tare::compact::reader {
namespace {

constexpr std::string_view alias_legend = "a stands for the text given below]";
constexpr std::size_t max_indent_digits = 6;

std::string_view take_character(std::string_view& text) {
  if (text.empty()) return {};
  const auto character = text.substr(0, character_bytes(text));
  text.remove_prefix(character.size());
  return character;
}

// `text` is not empty.
std::string_view last_character(std::string_view text) {
  for (std::size_t bytes = std::min<std::size_t>(text.size(), 4); bytes > 1; --bytes) {
    const auto tail = text.substr(text.size() - bytes);
    if (character_bytes(tail) == bytes) return tail;
  }
  return text.substr(text.size() - 1);
}

std::optional<JsonLayout> parse_layout(std::string_view text) {
  JsonLayout layout;
  if (take(text, "one line")) {
    layout.one_line = true;
    layout.spaced = take(text, " spaced");
  } else if (take(text, "indent ")) {
    if (take(text, "tab")) {
      layout.indent_byte = '\t';
      layout.indent = 1;
    } else if (const auto indent = take_number(text, max_indent_digits)) {
      layout.indent = static_cast<std::size_t>(*indent);
    } else {
      return std::nullopt;
    }
    layout.wide = take(text, " wide");
    layout.flat = take(text, " flat");
  } else {
    return std::nullopt;
  }
  if (!text.empty()) return std::nullopt;
  return layout;
}

// ", first " J " raw" off the front of `text`, with the word given: J, or 0 when it is not there.
Result<std::uint64_t> take_raw_lines(std::string_view& text, std::string_view word) {
  if (!take(text, word)) return std::uint64_t{0};
  const auto count = take_number(text);
  if (!count || !take(text, " raw")) {
    return fail(fault(1, fmt::format("expected '{}N raw', found {}", word, quoted(text))));
  }
  return static_cast<std::uint64_t>(*count);
}

// " JSON (" layout [", several documents"] [", first " j " raw"] [", last " k " raw"] ")", with the
// leading " JSON (" taken already.
Result<void> parse_json(std::string_view& text, Header& header) {
  const auto end = text.find(')');
  if (end == std::string_view::npos) return fail(fault(1, "JSON ( is not closed"));
  const std::string_view inside = text.substr(0, end);
  text.remove_prefix(end + 1);
  const auto layout = inside.substr(0, inside.find(','));
  header.json = parse_layout(layout);
  if (!header.json) return fail(fault(1, fmt::format("unknown JSON layout {}", quoted(layout))));
  std::string_view rest = inside.substr(layout.size());
  header.json->several = take(rest, ", several documents");
  const auto first = take_raw_lines(rest, ", first ");
  if (!first) return fail(first.error());
  const auto last = take_raw_lines(rest, ", last ");
  if (!last) return fail(last.error());
  if (!rest.empty()) {
    return fail(fault(1, fmt::format("expected ', last N raw', found {}", quoted(rest))));
  }
  header.first_raw_lines = *first;
  header.raw_lines = *last;
  return {};
}

// ", " A "-" B " inside a JSON string", when it is there. Lines stand above and below them.
Result<void> parse_string_lines(std::string_view& text, Header& header) {
  if (!take(text, ", ")) return {};
  const auto first = take_number(text);
  const bool dash = take(text, "-");
  const auto last = take_number(text);
  if (!first || !dash || !last || !take(text, " inside a JSON string")) {
    return fail(fault(1,
                      "expected a header such as "
                      "'[~{} compact, lossless, 9 lines, 2-8 inside a JSON string]'"));
  }
  header.string_first = static_cast<std::uint64_t>(*first);
  header.string_last = static_cast<std::uint64_t>(*last);
  if (header.string_first < 2 || header.string_first > header.string_last ||
      header.string_last >= header.lines) {
    return fail(fault(1, fmt::format("lines {}-{} of {} cannot be a string with lines around it",
                                     header.string_first, header.string_last, header.lines)));
  }
  return {};
}

}  // namespace

bool has_header_shape(std::string_view line) {
  if (!take(line, "[") || !line.ends_with(']')) return false;
  for (int i = 0; i < 3; ++i) {
    if (take_character(line).empty()) return false;
  }
  return line.starts_with(" compact");
}

Result<Header> parse_header(std::string_view line) {
  std::string_view rest = line;
  Header header;
  take(rest, "[");
  header.mark = take_character(rest);
  header.open = take_character(rest);
  header.close = take_character(rest);
  take(rest, " compact");
  if (take(rest, " JSON (")) {
    if (auto parsed = parse_json(rest, header); !parsed) return fail(parsed.error());
  }
  const auto unknown = fault(1, "expected a header '[~{} compact, lossless, N lines]'",
                             "a newer version may be needed to read this form");
  const bool lossless = take(rest, ", lossless, ");
  const auto lines = take_number(rest);
  if (!lossless || !lines || !take(rest, " lines")) return fail(unknown);
  if (*lines == 0) return fail(fault(1, "a form stands for one line at least"));
  header.lines = static_cast<std::uint64_t>(*lines);
  if (auto parsed = parse_string_lines(rest, header); !parsed) return fail(parsed.error());
  if (rest != "]" && !rest.starts_with(": ")) return fail(unknown);
  const std::uint64_t json_lines =
      header.string_first > 0 ? header.string_last - header.string_first + 1 : header.lines;
  if (header.json && header.first_raw_lines + header.raw_lines >= json_lines) {
    return fail(fault(1, "the raw lines leave no line of JSON"));
  }
  if (rest.ends_with(alias_legend)) {
    rest.remove_suffix(alias_legend.size());
    header.alias_mark = last_character(rest);
  }
  return header;
}

}  // namespace tare::compact::reader
