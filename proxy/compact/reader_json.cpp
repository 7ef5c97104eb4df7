#include "proxy/compact/reader_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace tare::compact::reader {
namespace {

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

// Of the bytes of a word, the high bit of the first such byte is set; those behind it may be too.
std::uint64_t ends_of_plain(std::uint64_t word) {
  const auto zeros = [](std::uint64_t x) { return (x - each_byte(1)) & ~x; };
  const std::uint64_t controls = (word - each_byte(0x20)) & ~word;
  return (controls | zeros(word ^ each_byte('"')) | zeros(word ^ each_byte('\\'))) & high_bits;
}

// Bytes of the number or word at the front of `text`, which is not empty; 0 when there is none.
std::size_t scalar_bytes(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t end = text.front() == '-' ? 1 : 0;
  if (end < text.size() && is_digit(text[end])) {
    const auto is_part = [&](char c) {
      return is_digit(c) || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-';
    };
    while (end < text.size() && is_part(text[end])) ++end;
    return end;
  }
  for (const std::string_view word : {"true", "false", "null"}) {
    if (text.starts_with(word)) return word.size();
  }
  return 0;
}

// Whether the array that has opened in front of `text` is closed and holds no other, nor an object.
bool is_flat_array(std::string_view text) {
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\') ++i;
    if (c == '"') in_string = !in_string;
    if (in_string) continue;
    if (c == ']') return true;
    if (c == ':' || opens(c) || closes(c)) return false;
  }
  return false;
}

// Gathers what goes to an output, since most tokens are a few bytes. Up to where it is filled is
// known to the one who fills it.
class Chunk {
 public:
  static constexpr std::size_t least_room = 256;

  explicit Chunk(Output& output) : output_(output) {}

  char* begin() { return bytes_.data(); }
  bool has_room(const char* filled_to) const {
    return static_cast<std::size_t>(bytes_.data() + bytes_.size() - filled_to) >= least_room;
  }
  void flush(const char* filled_to) {
    output_.append({bytes_.data(), static_cast<std::size_t>(filled_to - bytes_.data())});
  }
  Output& output() { return output_; }

 private:
  Output& output_;
  std::array<char, 4096> bytes_;
};

// Writes tokens as the layout has them. It is asked some thousand times a text: all that a token
// needs is inlined, so that its members stay in registers.
class Layouter {
 public:
  Layouter(const JsonLayout& layout, Chunk& chunk)
      : layout_(layout), chunk_(chunk), out_(chunk.begin()) {
    line_break_.fill(layout.indent_byte);
    line_break_.front() = '\n';
  }

  bool has_room() const { return chunk_.has_room(out_); }
  void flush() {
    chunk_.flush(out_);
    out_ = chunk_.begin();
  }

  enum class Step { done, no_token, nothing_open };

  // Takes the token at the front off [in, end), which is not empty, or a blank. There is room.
  [[gnu::always_inline]] Step token(const char*& in, const char* end) {
    switch (*in) {
      case ' ':
      case '\t':
      case '\r':
        ++in;
        return Step::done;
      case '{':
      case '[':
        open(in, end);
        return Step::done;
      case '}':
      case ']':
        return close(in) ? Step::done : Step::nothing_open;
      case ',':
        comma();
        ++in;
        return Step::done;
      case ':':
        colon();
        ++in;
        return Step::done;
      case '"':
        return string(in, end) ? Step::done : Step::no_token;
      default:
        return scalar(in, end) ? Step::done : Step::no_token;
    }
  }

  // There is room.
  [[gnu::always_inline]] void comma() {
    if (depth_ == 0 && layout_.several) {
      *out_++ = '\n';
      previous_ = 0;
      return;
    }
    break_inside();
    *out_++ = ',';
    if (in_flat_array_ || layout_.spaced) *out_++ = ' ';
    previous_ = ',';
  }

 private:
  [[gnu::always_inline]] void open(const char*& in, const char* end) {
    break_inside();
    previous_ = *in;
    *out_++ = *in++;
    ++depth_;
    in_flat_array_ = layout_.flat && previous_ == '[' && is_flat_array({in, end});
  }

  // False when nothing is open.
  [[gnu::always_inline]] bool close(const char*& in) {
    if (depth_ == 0) return false;
    --depth_;
    if (!opens(previous_) && breaks_lines()) break_line();
    in_flat_array_ = false;
    previous_ = *in;
    *out_++ = *in++;
    return true;
  }

  [[gnu::always_inline]] void colon() {
    break_inside();
    if (layout_.wide) *out_++ = ' ';
    *out_++ = ':';
    if (layout_.spaced || !layout_.one_line) *out_++ = ' ';
    previous_ = ':';
  }

  // False when it is not closed or holds control bytes.
  [[gnu::always_inline]] bool string(const char*& in, const char* end) {
    break_inside();
    previous_ = '"';
    for (*out_++ = *in++;; *out_++ = *in++) {
      copy_plain(in, end);
      if (in == end) return false;
      if (*in == '"') break;
      if (*in != '\\' || end - in < 2 || in[1] == '\n') return false;
      *out_++ = *in++;
    }
    *out_++ = *in++;
    return true;
  }

  // False when there is none.
  [[gnu::always_inline]] bool scalar(const char*& in, const char* end) {
    break_inside();
    previous_ = '0';
    const std::string_view text(in, scalar_bytes({in, end}));
    if (text.size() < Chunk::least_room / 2) {
      out_ = std::copy(text.begin(), text.end(), out_);
    } else {
      flush();
      chunk_.output().append(text);
    }
    in += text.size();
    return !text.empty();
  }

  bool breaks_lines() const { return !layout_.one_line && !in_flat_array_; }

  // In front of what a bracket or a comma stands before.
  [[gnu::always_inline]] void break_inside() {
    if ((opens(previous_) || previous_ == ',') && breaks_lines()) break_line();
  }

  [[gnu::always_inline]] void break_line() {
    const std::size_t indent = depth_ * layout_.indent;
    if (indent < line_break_.size()) {
      std::memcpy(out_, line_break_.data(), line_break_.size());
      out_ += 1 + indent;
      return;
    }
    flush();
    chunk_.output().append('\n');
    chunk_.output().append(indent, layout_.indent_byte);
  }

  // Up to a byte that ends the plain ones.
  [[gnu::always_inline]] void copy_plain(const char*& in, const char* end) {
    for (;;) {
      if (!has_room()) flush();
      if (end - in < std::ptrdiff_t{word_bytes}) break;
      const std::uint64_t word = word_at(in);
      const std::uint64_t ends = ends_of_plain(word);
      std::memcpy(out_, &word, word_bytes);
      const std::size_t plain = ends != 0 ? first_byte(ends) : word_bytes;
      in += plain;
      out_ += plain;
      if (ends != 0) return;
    }
    while (in != end && !ends_plain[static_cast<unsigned char>(*in)]) *out_++ = *in++;
  }

  const JsonLayout& layout_;
  Chunk& chunk_;
  char* out_;                        // up to where the chunk is filled
  std::array<char, 64> line_break_;  // with blanks behind it
  std::size_t depth_ = 0;
  char previous_ = 0;  // the first byte of the token before, which tells its kind
  bool in_flat_array_ = false;
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
  Chunk chunk(output);
  using Step = Layouter::Step;
  Layouter layouter(layout, chunk);
  std::size_t record = 1;
  const char* in = lines.data();
  const char* const end = in + lines.size();
  const char* begin = in;  // of the record
  while (in != end) {
    if (!layouter.has_room()) {
      layouter.flush();
      if (stop.stop_requested()) return fail(stopped());
      if (output.full()) return fail(too_large(1));
    }
    if (*in == '\n') {
      if (in == begin) return fail(record_fault(record, "an empty line"));
      if (stop.stop_requested()) return fail(stopped());
      const bool opened = opens(in[-1]);
      begin = ++in;
      ++record;
      if (in != end && *in != '\n' && !opened && !closes(*in)) layouter.comma();
      continue;
    }
    const char* const token = in;
    const Step step = layouter.token(in, end);
    if (step == Step::nothing_open)
      return fail(record_fault(record, "a bracket closes what was not opened"));
    if (step == Step::no_token) {
      const std::string_view line(token, std::find(token, end, '\n'));
      return fail(record_fault(record, fmt::format("no JSON {}", quoted(line))));
    }
  }
  layouter.flush();
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
