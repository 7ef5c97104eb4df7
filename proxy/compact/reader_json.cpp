#include "proxy/compact/reader_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace tare::compact::reader {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}
bool opens(char c) {
  return c == '{' || c == '[';
}
bool closes(char c) {
  return c == '}' || c == ']';
}

// Where the plain bytes of a string end: a quote, a backslash or a control byte.
constexpr std::array<bool, 256> ends_plain = [] {
  std::array<bool, 256> table{};
  for (std::size_t c = 0; c < 0x20; ++c) table[c] = true;
  table['"'] = table['\\'] = true;
  return table;
}();

// Bytes of the string at the front of `text`, or 0 when it is not closed or holds control bytes.
std::size_t string_bytes(std::string_view text) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (!ends_plain[static_cast<unsigned char>(text[i])]) continue;
    if (text[i] == '"') return i + 1;
    if (text[i] != '\\') return 0;
    ++i;
  }
  return 0;
}

std::size_t number_bytes(std::string_view text) {
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  if (sign == text.size() || text[sign] < '0' || text[sign] > '9') return 0;
  const auto is_part = [](char c) {
    return (c >= '0' && c <= '9') || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-';
  };
  const auto end =
      std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(sign), text.end(), is_part);
  return static_cast<std::size_t>(end - text.begin());
}

// Bytes of the token at the front of `text`, which is not empty; 0 when there is none.
std::size_t token_bytes(std::string_view text) {
  switch (const char first = text.front(); first) {
    case '{':
    case '}':
    case '[':
    case ']':
    case ',':
    case ':':
      return 1;
    case '"':
      return string_bytes(text);
    case 't':
    case 'f':
    case 'n': {
      const std::string_view word = first == 't' ? "true" : first == 'f' ? "false" : "null";
      return text.starts_with(word) ? word.size() : 0;
    }
    default:
      return number_bytes(text);
  }
}

class Layouter {
 public:
  Layouter(const JsonLayout& layout, Output& output)
      : layout_(layout), output_(output), breaks_(usual_indent, layout.indent_byte) {
    breaks_.front() = '\n';
  }

  // False when the token closes what was never opened.
  bool token(std::string_view text) {
    const char kind = text.front();
    if (!waiting_.empty()) {
      if (kind == ']') {
        write_flat();
        return true;
      }
      if (kind != '[' && kind != '{' && kind != '}' && kind != ':') {
        waiting_.push_back(text);
        return true;
      }
      finish();
    }
    if (kind == '[' && layout_.flat) {
      waiting_.push_back(text);
      return true;
    }
    return write(text);
  }

  // After the last token: an array that is still open is no flat one.
  void finish() {
    for (const std::string_view text : std::exchange(waiting_, {})) write(text);
  }

 private:
  bool write(std::string_view text) {
    const char kind = text.front();
    if (closes(kind)) {
      if (depth_ == 0) return false;
      --depth_;
    }
    if (kind == ',' && depth_ == 0 && layout_.several) {
      output_.append('\n');
      previous_ = 0;
      return true;
    }
    if (layout_.one_line) {
      output_.append(text);
      if (layout_.spaced && (kind == ',' || kind == ':')) output_.append(' ');
    } else {
      indented(text, kind);
    }
    if (opens(kind)) ++depth_;
    previous_ = kind;
    return true;
  }

  // The array that waits, and its end.
  void write_flat() {
    const auto tokens = std::exchange(waiting_, {});
    write(tokens[0]);
    for (std::size_t i = 1; i < tokens.size(); ++i) {
      output_.append(tokens[i]);
      if (tokens[i] == ",") output_.append(' ');
    }
    output_.append(']');
    --depth_;
    previous_ = ']';
  }

  void indented(std::string_view text, char kind) {
    const bool at_edge = opens(previous_) || previous_ == ',';
    if (closes(kind) ? !opens(previous_) : at_edge) break_line();
    if (kind == ':') {
      output_.append(layout_.wide ? " : " : ": ");
    } else if (text.size() == 1) {
      output_.append(kind);
    } else {
      output_.append(text);
    }
  }

  void break_line() {
    const std::size_t indent = depth_ * layout_.indent;
    if (indent < breaks_.size()) {
      output_.append(std::string_view(breaks_).substr(0, 1 + indent));
      return;
    }
    output_.append('\n');
    output_.append(indent, layout_.indent_byte);
  }

  static constexpr std::size_t usual_indent = 64;

  const JsonLayout& layout_;
  Output& output_;
  std::string breaks_;                     // a line break and blanks behind it
  std::vector<std::string_view> waiting_;  // an array that may be a flat one, without its end
  std::size_t depth_ = 0;
  char previous_ = 0;  // the first byte of the token before, which tells its kind
};

Error record_fault(std::size_t record, std::string_view what) {
  return fault(1, fmt::format("JSON record {}: {}", record, what));
}

void append_escape(char c, Output& output) {
  constexpr std::string_view bytes = "\"\\\b\f\n\r\t";
  constexpr std::string_view letters = "\"\\bfnrt";
  if (const auto at = bytes.find(c); at != std::string_view::npos) {
    output.append('\\');
    output.append(letters[at]);
  } else {
    output.append(fmt::format("\\u{:04x}", static_cast<unsigned char>(c)));
  }
}

}  // namespace

Result<void> lay_out_json(std::string_view lines, const JsonLayout& layout, Output& output,
                          const std::stop_token& stop) {
  Layouter layouter(layout, output);
  char last_byte = 0;
  for (std::size_t record = 1; !lines.empty(); ++record) {
    const auto end = lines.find('\n');
    std::string_view line = lines.substr(0, end);
    lines.remove_prefix(end + 1);
    if (line.empty()) return fail(record_fault(record, "an empty line"));
    if (record > 1 && !opens(last_byte) && !closes(line.front())) layouter.token(",");
    last_byte = line.back();
    while (!line.empty()) {
      if (stop.stop_requested()) return fail(stopped());
      if (is_blank(line.front())) {
        line.remove_prefix(1);
        continue;
      }
      const auto bytes = token_bytes(line);
      if (bytes == 0) return fail(record_fault(record, fmt::format("no JSON {}", quoted(line))));
      if (!layouter.token(line.substr(0, bytes))) {
        return fail(record_fault(record, "a bracket closes what was not opened"));
      }
      if (output.full()) return fail(too_large(1));
      line.remove_prefix(bytes);
    }
  }
  layouter.finish();
  if (output.full()) return fail(too_large(1));
  return {};
}

void append_escaped(std::string_view text, Output& output, const std::stop_token& stop) {
  constexpr std::size_t longest_run = std::size_t{1} << 16;
  const auto is_plain = [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\';
  };
  while (!text.empty() && !stop.stop_requested()) {
    const std::string_view part = text.substr(0, longest_run);
    const auto end = std::ranges::find_if_not(part, is_plain);
    const auto plain = static_cast<std::size_t>(end - part.begin());
    output.append(part.substr(0, plain));
    if (end != part.end()) append_escape(*end, output);
    text.remove_prefix(plain + (end != part.end() ? 1 : 0));
  }
}

}  // namespace tare::compact::reader
