#include "proxy/compact/writer.h"

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "proxy/compact/writer_choice.h"
#include "proxy/compact/writer_json.h"
#include "proxy/compact/writer_json_string.h"
#include "proxy/compact/writer_parts.h"
#include "proxy/compact/writer_print.h"
#include "proxy/compact/writer_repeat.h"

namespace tare::compact {
namespace {

// Calls `consider` with each way to see the text as JSON records that may be worth it.
template <typename Consider>
void for_each_json_view(std::string_view text, const std::stop_token& stop, Consider consider) {
  if (const auto document = JsonDocument::read(text, stop)) {
    std::size_t lines = 0;
    for (const bool nested : {false, true}) {
      const auto records = document->cut(nested);
      if (!records || records->lines.size() == lines) continue;
      lines = records->lines.size();
      consider(*records);
    }
    const auto whole = lines > 0 ? std::nullopt : document->uncut();
    if (whole) consider(*whole);
  }
}

// The records of what a string says, with the lines of the document around it.
Records within(const JsonString& string, const Records& inside) {
  Records all{.lines = split_lines(string.before), .layout = inside.layout};
  all.string_first = all.lines.size();
  all.lines.insert(all.lines.end(), inside.lines.begin(), inside.lines.end());
  all.string_end = all.lines.size();
  const auto after = split_lines(string.after);
  all.lines.insert(all.lines.end(), after.begin(), after.end());
  return all;
}

// Looks for forms of the records of a text of so many bytes: of all at once, or part by part.
void consider(Choice& choice, const ChoiceOptions& how, const Records& records,
              std::size_t text_bytes) {
  if (records.lines.size() <= lines_in_part(text_bytes)) {
    choice.consider(records);
    return;
  }
  const Records all{.lines = {},
                    .layout = records.layout,
                    .string_first = records.string_first,
                    .string_end = records.string_end};
  const auto source = LineCutter::of_lines(records.lines);
  if (auto form = write_parts(source, records.lines.size(), text_bytes, all, how))
    choice.consider(std::move(*form));
}

// The same for lines that are not cut yet: of a text, or of three with the inside of a JSON string
// between two others.
void consider_lines(Choice& choice, const ChoiceOptions& how,
                    std::span<const std::string_view> texts) {
  if (choice.settled()) return;
  Records all;
  std::size_t count = 0;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i == 1) all.string_first = count;
    count += count_lines(texts[i]);
    if (i == 1) all.string_end = count;
    bytes += texts[i].size();
  }
  if (!choice.empty() && count == texts.size()) return;
  if (count > lines_in_part(bytes)) {
    if (auto form = write_parts(LineCutter(texts), count, bytes, all, how))
      choice.consider(std::move(*form));
    return;
  }
  LineCutter cutter(texts);
  all.lines = cutter.next(count);
  for (std::size_t i = 1; i < texts.size(); ++i) {
    const auto lines = cutter.next(count);
    all.lines.insert(all.lines.end(), lines.begin(), lines.end());
  }
  choice.consider(all);
}

}  // namespace

std::optional<Form> write_form(std::string_view text, const Options& options,
                               const Earlier* earlier, std::vector<Piece>* account,
                               const std::stop_token& stop) {
  const bool ends_line = text.ends_with('\n');
  const std::string_view body = ends_line ? text.substr(0, text.size() - 1) : text;
  const ChoiceOptions how{.options = options,
                          .ends_line = ends_line,
                          .earlier = earlier != nullptr && earlier->size() > 0 ? earlier : nullptr,
                          .account = account,
                          .stop = stop};
  Choice choice(how);
  if (const auto string = find_long_string(body, stop)) {
    for_each_json_view(string->inside, stop, [&](const Records& records) {
      consider(choice, how, within(*string, records), body.size());
    });
    const std::string_view texts[] = {string->before, string->inside, string->after};
    consider_lines(choice, how, texts);
    if (choice.settled()) return choice.take();
  }
  for_each_json_view(body, stop,
                     [&](const Records& records) { consider(choice, how, records, body.size()); });
  consider_lines(choice, how, {&body, 1});
  return choice.take();
}

std::optional<Form> write_repeat(std::string_view text, const Earlier& earlier) {
  const auto equal = earlier.find_equal(text);
  if (!equal) return std::nullopt;
  const bool ends_line = text.ends_with('\n');
  const std::uint32_t lines = earlier.line_count(*equal);
  const Reference whole{0, lines, *equal, 0, true};
  auto form = print_reference(whole, earlier, ends_line);
  const Cost cost = estimate(form);
  return Form{std::move(form), cost, 0};
}

}  // namespace tare::compact
