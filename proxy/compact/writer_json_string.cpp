#include "proxy/compact/writer_json_string.h"

#include <algorithm>
#include <utility>

#include "proxy/compact/chars.h"

namespace tare::compact {
namespace {

// Of the whole text, at least.
constexpr std::size_t min_percent = 60;

// Whether to look at the stop at byte `i`, or the one behind an escape.
bool is_pause(std::size_t i) {
  return i % (std::size_t{1} << 16) < 2;
}

// A string of so many bytes holds no line feed and lies around the middle.
bool has_long_line(std::string_view text) {
  const std::size_t middle = text.size() / 2;
  const std::size_t end = std::min(text.find('\n', middle), text.size());
  const std::size_t before = text.substr(0, middle).rfind('\n');
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return 100 * (end - begin) >= min_percent * text.size();
}

// Where the inside of the string that opens at `quote` ends; npos when it is not closed.
std::size_t inside_end(std::string_view text, std::size_t quote, const std::stop_token& stop) {
  for (std::size_t i = quote + 1; i < text.size(); ++i) {
    if (is_pause(i) && stop.stop_requested()) break;
    if (text[i] == '"') return i;
    if (text[i] == '\\') ++i;
  }
  return std::string_view::npos;
}

// Begin and end of the inside of the longest string.
std::pair<std::size_t, std::size_t> longest_inside(std::string_view text,
                                                   const std::stop_token& stop) {
  std::pair<std::size_t, std::size_t> longest;
  for (std::size_t i = text.find('"'); i != std::string_view::npos; i = text.find('"', i)) {
    const std::size_t end = inside_end(text, i, stop);
    if (end == std::string_view::npos) break;
    if (end - i - 1 > longest.second - longest.first) longest = {i + 1, end};
    i = end + 1;
  }
  return longest;
}

// The byte that a short escape stands for; nothing when there is no such escape.
std::optional<char> short_escape(char letter) {
  switch (letter) {
    case '"':
    case '\\':
      return letter;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return std::nullopt;
  }
}

// The byte of "u00XX", which must be below 0x20, spelled in lower case and have no short escape.
std::optional<char> long_escape(std::string_view text) {
  if (text.size() < 5 || !text.starts_with("u00") || (text[3] != '0' && text[3] != '1'))
    return std::nullopt;
  const char digit = text[4];
  if (!is_digit(digit) && (digit < 'a' || digit > 'f')) return std::nullopt;
  const int value = (text[3] - '0') * 16 + (is_digit(digit) ? digit - '0' : digit - 'a' + 10);
  const auto byte = static_cast<char>(value);
  for (const char letter : {'b', 'f', 'n', 'r', 't'}) {
    if (short_escape(letter) == byte) return std::nullopt;
  }
  return byte;
}

// Nothing when the string is spelled in another way than the shortest.
std::optional<std::string> unescape(std::string_view text, const std::stop_token& stop) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_pause(i) && stop.stop_requested()) return std::nullopt;
    if (text[i] != '\\') {
      if (static_cast<unsigned char>(text[i]) < 0x20) return std::nullopt;
      out += text[i];
      continue;
    }
    const std::string_view escape = text.substr(i + 1);
    const auto letter = escape.empty() ? std::nullopt : short_escape(escape[0]);
    const auto byte = letter ? letter : long_escape(escape);
    if (!byte) return std::nullopt;
    out += *byte;
    i += letter ? std::size_t{1} : std::size_t{5};
  }
  return out;
}

}  // namespace

std::optional<JsonString> find_long_string(std::string_view text, const std::stop_token& stop) {
  if (text.empty() || (text[0] != '{' && text[0] != '[')) return std::nullopt;
  if (!has_long_line(text)) return std::nullopt;
  const auto [begin, end] = longest_inside(text, stop);
  const std::string_view escaped = text.substr(begin, end - begin);
  if (100 * escaped.size() < min_percent * text.size()) return std::nullopt;
  auto inside = unescape(escaped, stop);
  if (!inside) return std::nullopt;
  const bool json = inside->starts_with('{') || inside->starts_with('[');
  if (!json && inside->find('\n') == std::string::npos) return std::nullopt;
  return JsonString{text.substr(0, begin), std::move(*inside), text.substr(end)};
}

}  // namespace tare::compact
