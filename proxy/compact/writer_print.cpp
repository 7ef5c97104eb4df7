#include "proxy/compact/writer_print.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "proxy/compact/writer_printer.h"

namespace tare::compact {
namespace {

constexpr std::array<std::string_view, 5> line_marks{"~", "^", "@", "§", "¤"};
constexpr std::array<Brackets, 3> bracket_pairs{{{"{", "}"}, {"<", ">"}, {"«", "»"}}};

std::ptrdiff_t lines_begun(const Records& records, std::string_view mark) {
  return std::count_if(records.lines.begin(), records.lines.end(),
                       [&](std::string_view line) { return line.starts_with(mark); });
}

// A mark that begins no line: one of the usual, else the first such character of two bytes. Where
// none is free, lines that begin with the mark are marked as plain.
std::string mark_for_any(const Records& records) {
  constexpr unsigned first = 0xA1;
  constexpr unsigned end = 0x800;
  for (const std::string_view mark : line_marks) {
    if (lines_begun(records, mark) == 0) return std::string(mark);
  }
  std::vector<bool> taken(end, false);
  for (const std::string_view line : records.lines) {
    if (line.size() < 2) continue;
    const auto lead = static_cast<unsigned char>(line[0]);
    const auto next = static_cast<unsigned char>(line[1]);
    if ((lead & 0xE0) == 0xC0) taken[(lead & 0x1FU) << 6 | (next & 0x3FU)] = true;
  }
  const auto free = std::find(taken.begin() + first, taken.end(), false);
  if (free == taken.end()) return std::string(line_marks[0]);
  const auto point = static_cast<unsigned>(free - taken.begin());
  return {static_cast<char>(0xC0 | point >> 6), static_cast<char>(0x80 | (point & 0x3F))};
}

bool is_instance(const Item& item) {
  return item.kind == Item::Kind::instance;
}

// No row begins with the line mark.
bool rows_leave_free(const Plan& plan, std::string_view mark) {
  const auto row_begins = [&](const Item& item) {
    if (!is_instance(item)) return false;
    const Template& shape = plan.templates[item.shape];
    if (shape.slots == 0) return false;
    const std::string_view value = shape.value(0, item.index);
    return value.starts_with(mark) || (value.empty() && shape.separator.starts_with(mark));
  };
  return std::ranges::none_of(plan.items, row_begins);
}

// No record and no row may begin with the line mark.
bool mark_is_free(const Plan& plan, const Records& records, std::string_view mark) {
  return lines_begun(records, mark) == 0 && rows_leave_free(plan, mark);
}

bool brackets_are_free(const Plan& plan, const Brackets& brackets) {
  std::vector<bool> used(plan.templates.size(), false);
  for (const Item& item : plan.items) {
    if (is_instance(item)) used[item.shape] = true;
  }
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (used[i] && literal_contains(plan.templates[i], brackets.open)) return false;
  }
  return true;
}

std::string_view free_mark(const Plan& plan, const Records& records) {
  const auto mark = std::ranges::find_if(
      line_marks, [&](std::string_view m) { return mark_is_free(plan, records, m); });
  return mark == line_marks.end() ? std::string_view() : *mark;
}

const Brackets* free_brackets(const Plan& plan) {
  const auto brackets = std::ranges::find_if(
      bracket_pairs, [&](const Brackets& pair) { return brackets_are_free(plan, pair); });
  return brackets == bracket_pairs.end() ? nullptr : &*brackets;
}

}  // namespace

std::optional<std::string> print(const Plan& plan, const Records& records,
                                 const PrintOptions& options) {
  const std::string_view mark = free_mark(plan, records);
  const Brackets* const brackets = free_brackets(plan);
  if (mark.empty() || brackets == nullptr) return std::nullopt;
  Printer printer(mark, *brackets, options);
  printer.add(plan, records, options.ditto);
  return printer.finish(records, records.lines.size());
}

std::string print_reference(const Reference& whole, const Earlier& earlier, bool ends_line) {
  const Records records{std::vector<std::string_view>(whole.length)};
  const Plan plan = make_plan(whole.length, {}, {{}, {}, {whole}}, {});
  const PrintOptions options{.ends_line = ends_line, .earlier = &earlier};
  Printer printer(line_marks[0], bracket_pairs[0], options);
  printer.add(plan, records, false);
  return printer.finish(records, records.lines.size());
}

std::string print_verbatim(std::string_view text) {
  const bool ends_line = text.ends_with('\n');
  if (ends_line) text.remove_suffix(1);
  const Records records{split_lines(text)};
  const std::string mark = mark_for_any(records);
  const Plan plan = make_plan(records.lines.size(), {}, Repeats{}, {});
  const PrintOptions options{.ends_line = ends_line};
  Printer printer(mark, bracket_pairs[0], options);
  printer.add(plan, records, false);
  return printer.finish(records, records.lines.size());
}

std::optional<PartPrinter> PartPrinter::make(LineCutter source, const PrintOptions& options) {
  constexpr std::size_t some = 4096;
  std::array<bool, line_marks.size()> taken{};
  Records records;
  while (!(records.lines = source.next(some)).empty() && !options.stop.stop_requested()) {
    for (std::size_t i = 0; i < taken.size(); ++i)
      taken[i] = taken[i] || lines_begun(records, line_marks[i]) > 0;
  }
  const auto free = static_cast<std::size_t>(std::ranges::find(taken, false) - taken.begin());
  if (free == taken.size()) return std::nullopt;
  return PartPrinter(line_marks[free], options);
}

bool PartPrinter::add(const Plan& plan, const Records& records, bool ditto) {
  if (!rows_leave_free(plan, mark_)) return false;
  if (!printer_) {
    const Brackets* const brackets = free_brackets(plan);
    if (brackets == nullptr) return false;
    printer_ = std::make_unique<Printer>(mark_, *brackets, options_);
    brackets_ = *brackets;
  } else if (!brackets_are_free(plan, brackets_)) {
    return false;
  }
  printer_->add(plan, records, ditto);
  return true;
}

}  // namespace tare::compact
