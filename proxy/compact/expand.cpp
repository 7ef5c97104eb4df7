#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "proxy/compact/compact.h"
#include "proxy/compact/reader_body.h"
#include "proxy/compact/reader_header.h"
#include "proxy/compact/reader_json.h"
#include "proxy/compact/reader_text.h"

namespace tare::compact {
namespace {

using namespace reader;

std::size_t saturating_add(std::size_t a, std::size_t b) {
  return b > std::numeric_limits<std::size_t>::max() - a ? std::numeric_limits<std::size_t>::max()
                                                         : a + b;
}

std::string_view first_line(std::string_view text) {
  return text.substr(0, text.find('\n'));
}

// The lines M letter " = " text at the front of `body`, taken off it: the texts of Ma, Mb, ...
std::vector<std::string_view> take_aliases(std::string_view& body, std::string_view mark) {
  std::vector<std::string_view> texts;
  for (char letter = 'a'; letter <= 'z'; ++letter) {
    std::string_view line = first_line(body);
    if (line.size() == body.size() || !take(line, mark) ||
        !take(line, std::string_view(&letter, 1)) || !take(line, " = ")) {
      break;
    }
    texts.push_back(line);
    body.remove_prefix(static_cast<std::size_t>(line.data() + line.size() - body.data()) + 1);
  }
  return texts;
}

bool replace_all(std::string& text, std::string_view from, std::string_view to,
                 std::size_t max_bytes) {
  std::size_t at = text.find(from);
  if (at == std::string::npos) return true;
  Output replaced(max_bytes);
  std::size_t done = 0;
  for (; at != std::string::npos && !replaced.full(); at = text.find(from, done)) {
    replaced.append(std::string_view(text).substr(done, at - done));
    replaced.append(to);
    done = at + from.size();
  }
  replaced.append(std::string_view(text).substr(done));
  text = std::move(replaced.text());
  return !replaced.full();
}

// The body with each alias replaced by its text. Later ones may hold earlier ones.
Result<std::string> without_aliases(std::string_view body, std::string_view mark,
                                    std::span<const std::string_view> texts,
                                    std::size_t max_bytes) {
  std::string plain(body);
  for (std::size_t i = texts.size(); i > 0; --i) {
    const std::string name = std::string(mark) + static_cast<char>('a' + i - 1);
    if (!replace_all(plain, name, texts[i - 1], max_bytes)) return fail(too_large(1 + i));
  }
  if (const auto at = plain.find(mark); at != std::string::npos) {
    const auto line =
        std::count(plain.begin(), plain.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    return fail(fault(2 + texts.size() + static_cast<std::size_t>(line),
                      fmt::format("alias {} is not defined", quoted(plain.substr(at, 4)))));
  }
  return plain;
}

// Where the first `count` lines end, each with its line feed; there are so many.
std::size_t end_of_first_lines(std::string_view lines, std::uint64_t count) {
  std::size_t end = 0;
  for (; count > 0; --count) end = lines.find('\n', end) + 1;
  return end;
}

// The text of `lines`, with a line feed at its end.
Result<void> lay_out(std::string_view lines, const JsonLayout& layout, const Header& header,
                     Output& output, const std::stop_token& stop) {
  const auto begin = end_of_first_lines(lines, header.first_raw_lines);
  const auto raw = begin_of_last_lines(lines, header.raw_lines);
  output.append(lines.substr(0, begin));
  auto done = lay_out_json(lines.substr(begin, raw - begin), layout, output, stop);
  if (!done) return done;
  output.append(header.raw_lines == 0 ? "\n" : lines.substr(raw));
  if (output.full()) return fail(too_large(1));
  return {};
}

// What the lines stand for goes to `output`, with a line feed at its end: laid out when they are
// JSON, and with some of them inside a string when the header says so.
Result<void> append_text(std::string_view lines, const Header& header, Output& output,
                         std::size_t max_bytes, const std::stop_token& stop) {
  if (header.string_first == 0) return lay_out(lines, *header.json, header, output, stop);
  const auto begin = end_of_first_lines(lines, header.string_first - 1);
  const auto end = end_of_first_lines(lines, header.string_last);
  std::string_view inside = lines.substr(begin, end - begin);
  // Inside a string the line feed at the end is one too many.
  Output laid_out(header.json ? saturating_add(max_bytes, 1) : 0);
  if (const auto& json = header.json) {
    if (auto done = lay_out(inside, *json, header, laid_out, stop); !done) return done;
    inside = laid_out.view();
  }
  output.append(lines.substr(0, begin - 1));
  append_escaped(inside.substr(0, inside.size() - 1), output, stop);
  output.append(lines.substr(end));
  if (stop.stop_requested()) return fail(stopped());
  if (output.full()) return fail(too_large(1));
  return {};
}

// A form with its header read and its aliases replaced.
struct ReadForm {
  Header header;
  std::size_t aliases = 0;
  std::string replaced;  // what `body` points into when there are any
  std::string_view body;
  bool ends_in_line_feed = false;
};

Result<void> read_front(std::string_view form, std::size_t max_bytes, ReadForm& read) {
  if (!looks_like_form(form)) {
    return fail(fault(1, "not a compact form: no header",
                      "its first line must be like '[~{} compact, lossless, 3 lines]'"));
  }
  const auto head = first_line(form);
  auto header = parse_header(head);
  if (!header) return fail(header.error());
  read.header = std::move(*header);
  read.body = form.substr(std::min(head.size() + 1, form.size()));
  if (const auto mark = read.header.alias_mark; !mark.empty()) {
    const auto texts = take_aliases(read.body, mark);
    auto done = without_aliases(read.body, mark, texts, saturating_add(max_bytes, form.size()));
    if (!done) return fail(done.error());
    read.aliases = texts.size();
    read.replaced = std::move(*done);
    read.body = read.replaced;
  }
  if (read.body.empty()) return fail(fault(1, "nothing stands below the header"));
  read.ends_in_line_feed = read.body.ends_with('\n');
  if (read.ends_in_line_feed) read.body.remove_suffix(1);
  return {};
}

Result<void> append_lines(const ReadForm& form, const Earlier* earlier, Output& lines,
                          const std::stop_token& stop) {
  std::string_view body = form.body;
  Body reader(form.header, 2 + form.aliases, body.size(), earlier, lines, stop);
  for (;;) {
    if (stop.stop_requested()) return fail(stopped());
    const auto line = first_line(body);
    if (auto read = reader.read_line(line); !read) return read;
    if (line.size() == body.size()) return reader.finish();
    body.remove_prefix(line.size() + 1);
  }
}

// The text goes to `output`, always with a line feed at its end; it may have so many bytes with it.
Result<void> expand(const ReadForm& form, std::size_t max_bytes, const Earlier* earlier,
                    Output& output, const std::stop_token& stop) {
  const Header& header = form.header;
  if (!header.json && header.string_first == 0) return append_lines(form, earlier, output, stop);
  // Records that are joined lose a byte each at most, and have one at least; a string in lines of
  // its own has a line feed more at both ends.
  const std::size_t lines_limit = header.json ? saturating_add(max_bytes, max_bytes) : max_bytes;
  Output lines(saturating_add(lines_limit, header.string_first > 0 ? 4 : 0), max_bytes);
  if (auto done = append_lines(form, earlier, lines, stop); !done) return done;
  return append_text(lines.view(), header, output, max_bytes, stop);
}

}  // namespace

bool looks_like_form(std::string_view text) {
  return has_header_shape(first_line(text));
}

Result<std::string> expand(std::string_view form, std::size_t max_bytes, const Earlier* earlier,
                           const std::stop_token& stop) {
  ReadForm read;
  if (auto done = read_front(form, max_bytes, read); !done) return fail(done.error());
  // Each line is written with its line feed, the last one too.
  const std::size_t limit = saturating_add(max_bytes, read.ends_in_line_feed ? 0 : 1);
  Output output(limit);
  if (auto done = expand(read, limit, earlier, output, stop); !done) return fail(done.error());
  if (!read.ends_in_line_feed) output.text().pop_back();
  return std::move(output.text());
}

bool expands_to(std::string_view form, std::string_view text, const Earlier* earlier,
                const std::stop_token& stop) {
  ReadForm read;
  if (!read_front(form, text.size(), read)) return false;
  const bool line_feed = !read.ends_in_line_feed;
  Output output = Output::against(text, line_feed);
  const std::size_t limit = saturating_add(text.size(), line_feed ? 1 : 0);
  return expand(read, limit, earlier, output, stop) && output.is_complete();
}

}  // namespace tare::compact
