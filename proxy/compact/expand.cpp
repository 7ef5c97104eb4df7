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

// What the lines stand for, with a line feed at its end: laid out when they are JSON, and with some
// of them inside a string when the header says so.
Result<std::string> text_of(std::string lines, const Header& header, std::size_t max_bytes,
                            const std::stop_token& stop) {
  if (!header.json && header.string_first == 0) return lines;
  std::string_view inside = lines;
  std::string_view before;
  std::string_view after;
  if (header.string_first > 0) {
    const auto begin = end_of_first_lines(lines, header.string_first - 1);
    const auto end = end_of_first_lines(lines, header.string_last);
    before = inside.substr(0, begin - 1);
    after = inside.substr(end);
    inside = inside.substr(begin, end - begin);
  }
  // Inside a string the line feed at the end is one too many.
  Output laid_out(header.string_first > 0 ? saturating_add(max_bytes, 1) : max_bytes);
  if (const auto& json = header.json) {
    if (auto done = lay_out(inside, *json, header, laid_out, stop); !done)
      return fail(done.error());
    inside = laid_out.view();
  }
  if (header.string_first == 0) return std::move(laid_out.text());
  Output output(max_bytes);
  output.append(before);
  append_escaped(inside.substr(0, inside.size() - 1), output, stop);
  output.append(after);
  if (stop.stop_requested()) return fail(stopped());
  if (output.full()) return fail(too_large(1));
  return std::move(output.text());
}

}  // namespace

bool looks_like_form(std::string_view text) {
  return has_header_shape(first_line(text));
}

Result<std::string> expand(std::string_view form, std::size_t max_bytes, const Earlier* earlier,
                           const std::stop_token& stop) {
  if (!looks_like_form(form)) {
    return fail(fault(1, "not a compact form: no header",
                      "its first line must be like '[~{} compact, lossless, 3 lines]'"));
  }
  const auto head = first_line(form);
  const auto header = parse_header(head);
  if (!header) return fail(header.error());
  std::string_view body = form.substr(std::min(head.size() + 1, form.size()));

  std::vector<std::string_view> aliases;
  std::string replaced;
  if (!header->alias_mark.empty()) {
    aliases = take_aliases(body, header->alias_mark);
    auto done =
        without_aliases(body, header->alias_mark, aliases, saturating_add(max_bytes, form.size()));
    if (!done) return fail(done.error());
    replaced = std::move(*done);
    body = replaced;
  }
  if (body.empty()) return fail(fault(1, "nothing stands below the header"));

  const bool ends_in_line_feed = body.ends_with('\n');
  if (ends_in_line_feed) body.remove_suffix(1);
  // Each line is written with its line feed, the last one too.
  const std::size_t limit = ends_in_line_feed ? max_bytes : saturating_add(max_bytes, 1);
  // Records that are joined lose a byte each at most, and have one at least; a string in lines of
  // its own has a line feed more at both ends.
  const std::size_t lines_limit = header->json ? saturating_add(limit, limit) : limit;
  Output lines(header->string_first > 0 ? saturating_add(lines_limit, 4) : lines_limit);
  Body reader(*header, 2 + aliases.size(), body.size(), earlier, lines, stop);
  for (;;) {
    if (stop.stop_requested()) return fail(stopped());
    const auto line = first_line(body);
    if (auto read = reader.read_line(line); !read) return fail(read.error());
    if (line.size() == body.size()) break;
    body.remove_prefix(line.size() + 1);
  }
  if (auto finished = reader.finish(); !finished) return fail(finished.error());

  auto text = text_of(std::move(lines.text()), *header, limit, stop);
  if (text && !ends_in_line_feed) text->pop_back();
  return text;
}

}  // namespace tare::compact
