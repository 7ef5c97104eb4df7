#include "proxy/compact/writer_print.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include "proxy/compact/writer_ditto.h"
#include "proxy/compact/writer_legend.h"

namespace tare::compact {
namespace {

constexpr std::array<std::string_view, 5> line_marks{"~", "^", "@", "§", "¤"};
constexpr std::array<Brackets, 3> bracket_pairs{{{"{", "}"}, {"<", ">"}, {"«", "»"}}};

// a, b, ..., z, aa, ab, ...
std::string label(std::size_t index) {
  std::string name;
  for (std::size_t left = index + 1; left > 0; left = (left - 1) / 26) {
    name.insert(name.begin(), static_cast<char>('a' + (left - 1) % 26));
  }
  return name;
}

class Printer {
 public:
  Printer(const Plan& plan, const Records& records, std::string_view mark, const Brackets& brackets,
          const PrintOptions& options)
      : plan_(plan),
        records_(records),
        options_(options),
        mark_(mark),
        brackets_(brackets),
        uses_(plan.templates.size()) {}

  std::string print() {
    note_uses();
    for (std::size_t i = 0; i < plan_.items.size() && !options_.stop.stop_requested();) {
      change_heading(plan_.items[i].heading);
      i = print_item(i);
    }
    std::string form = header();
    form += body_;
    if (options_.ends_line) {
      form += '\n';
    } else if (form.ends_with('\n')) {
      form += '\n';  // the last line is empty: the bare mark stands for no line
      form += mark_;
    }
    return form;
  }

 private:
  struct Use {
    std::size_t headings = 0;  // stretches of rows under its heading
    bool labelled = false;     // instances elsewhere
    std::string name;          // empty until it is defined
  };
  void note_uses() {
    std::uint32_t heading = no_template;
    for (const Item& item : plan_.items) {
      if (item.heading != heading && item.heading != no_template) ++uses_[item.heading].headings;
      heading = item.heading;
      if (item.kind == Item::Kind::instance && item.shape != heading)
        uses_[item.shape].labelled = true;
    }
  }

  void begin_line() { body_ += '\n'; }

  void define(std::uint32_t index) {
    uses_[index].name = label(names_++);
    begin_line();
    body_ += mark_;
    body_ += uses_[index].name;
    append_definition(plan_.templates[index], " = ");
    used_.definition = true;
  }

  void append_definition(const Template& shape, std::string_view before) {
    append_parameters(body_, shape);
    body_ += before;
    for (std::size_t i = 0; i < shape.lines.size(); ++i) {
      if (i > 0) {
        begin_line();
        body_ += mark_;
        body_ += "+ ";
        used_.next_line = true;
      }
      append_line(body_, shape.lines[i], brackets_);
      for (const Hole& hole : shape.lines[i].holes) {
        used_.law = used_.law || hole.kind == Hole::Kind::law;
        used_.tab = used_.tab || hole.kind == Hole::Kind::tab;
        used_.width = used_.width || hole.width > 0;
      }
    }
  }

  // A line that begins with the mark and the template's name, defined before if it must be.
  void begin_named(std::uint32_t index) {
    if (uses_[index].name.empty()) define(index);
    begin_line();
    body_ += mark_;
    body_ += uses_[index].name;
  }

  void change_heading(std::uint32_t heading) {
    if (heading == heading_) return;
    heading_ = heading;
    if (heading == no_template) {
      begin_line();
      body_ += mark_;
      used_.plain_mark = true;
      return;
    }
    const Use& use = uses_[heading];
    if (use.headings == 1 && !use.labelled) {
      begin_line();
      body_ += mark_;
      append_definition(plan_.templates[heading], ": ");
      used_.anonymous_heading = true;
    } else {
      begin_named(heading);
      body_ += ':';
      used_.named_heading = true;
    }
  }

  // Returns the place of the next item to print.
  std::size_t print_item(std::size_t i) {
    const Item& item = plan_.items[i];
    switch (item.kind) {
      case Item::Kind::verbatim:
        print_verbatim(item);
        return i + 1;
      case Item::Kind::run:
        print_run(plan_.repeats.runs[item.index]);
        return i + 1;
      case Item::Kind::block_begin:
        begin_block(item.index);
        return i + 1;
      case Item::Kind::block_end:
        begin_line();
        body_ += mark_;
        body_ += ']';
        return i + 1;
      case Item::Kind::copy:
        begin_line();
        body_ += mark_;
        body_ += block_names_.at(item.index);
        return i + 1;
      case Item::Kind::reference:
        print_reference(item.index);
        return i + 1;
      case Item::Kind::instance:
        break;
    }
    if (plan_.templates[item.shape].slots == 0) return print_closed(i);
    print_row(item);
    return i + 1;
  }

  void print_verbatim(const Item& item) {
    const std::string_view line = records_.lines[item.record];
    begin_line();
    if (heading_ != no_template || line.starts_with(mark_)) {
      body_ += mark_;
      body_ += ' ';
      used_.verbatim_mark = true;
    }
    body_ += line;
  }

  void print_run(const Repeat& run) {
    fmt::format_to(std::back_inserter(body_), "\n{}{}*{}", mark_, run.period, run.times);
    used_.run = true;
  }

  void print_reference(std::uint32_t index) {
    const Reference& reference = plan_.repeats.references[index];
    const Reference* before = index > 0 ? &plan_.repeats.references[index - 1] : nullptr;
    begin_line();
    body_ += mark_;
    append_reference(body_, reference, before, *options_.earlier);
    const bool same = before != nullptr && before->output == reference.output;
    (reference.whole ? used_.whole_output
     : same          ? used_.same_output
                     : used_.lines_of_output) = true;
  }

  void begin_block(std::uint32_t source) {
    const std::string name = label(names_++);
    fmt::format_to(std::back_inserter(body_), "\n{}{}[", mark_, name);
    block_names_.emplace(source, name);
    used_.block = true;
  }

  void print_row(const Item& item) {
    const Template& shape = plan_.templates[item.shape];
    const bool bare = item.shape == heading_;
    if (bare) {
      begin_line();
    } else {
      begin_named(item.shape);
      body_ += ' ';
      used_.labelled_row = true;
    }
    if (!options_.ditto) {
      append_row(body_, shape, item.index);
      return;
    }
    const bool goes_on = bare && row_above_ == &item - 1 && row_above_->shape == item.shape;
    if (ditto_.append(body_, shape, item.index, goes_on)) used_.ditto = true;
    row_above_ = bare ? &item : nullptr;
  }

  // Neighbouring instances of a template without open slots are one range.
  std::size_t print_closed(std::size_t i) {
    const Item& first = plan_.items[i];
    std::size_t end = i + 1;
    while (end < plan_.items.size() && plan_.items[end].kind == Item::Kind::instance &&
           plan_.items[end].shape == first.shape && plan_.items[end].heading == first.heading) {
      ++end;
    }
    begin_named(first.shape);
    if (end - i > 1) {
      fmt::format_to(std::back_inserter(body_), " {}-{}", first.record + 1,
                     first.record + (end - i) * plan_.templates[first.shape].span());
    }
    return end;
  }

  std::string header() const {
    std::string head = fmt::format("[{}{}{} compact", mark_, brackets_.open, brackets_.close);
    if (!records_.layout.empty())
      fmt::format_to(std::back_inserter(head), " JSON ({})", records_.layout);
    fmt::format_to(std::back_inserter(head), ", lossless, {} lines", records_.lines.size());
    if (records_.string_end > 0)
      fmt::format_to(std::back_inserter(head), ", {}-{} inside a JSON string",
                     records_.string_first + 1, records_.string_end);
    return head + legend(used_, mark_, brackets_) + ']';
  }

  const Plan& plan_;
  const Records& records_;
  PrintOptions options_;
  std::string_view mark_;
  Brackets brackets_;
  std::vector<Use> uses_;
  UsedFeatures used_;
  std::uint32_t heading_ = no_template;
  DittoRows ditto_;
  const Item* row_above_ = nullptr;  // printed under its heading
  std::size_t names_ = 0;
  std::map<std::uint32_t, std::string> block_names_;  // by source
  std::string body_;
};

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

// No record and no row may begin with the line mark.
bool mark_is_free(const Plan& plan, const Records& records, std::string_view mark) {
  const auto row_begins = [&](const Item& item) {
    if (!is_instance(item)) return false;
    const Template& shape = plan.templates[item.shape];
    if (shape.slots == 0) return false;
    const std::string_view value = shape.value(0, item.index);
    return value.starts_with(mark) || (value.empty() && shape.separator.starts_with(mark));
  };
  return lines_begun(records, mark) == 0 && std::ranges::none_of(plan.items, row_begins);
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

}  // namespace

std::optional<std::string> print(const Plan& plan, const Records& records,
                                 const PrintOptions& options) {
  const auto mark = std::ranges::find_if(
      line_marks, [&](std::string_view m) { return mark_is_free(plan, records, m); });
  const auto brackets = std::ranges::find_if(
      bracket_pairs, [&](const Brackets& pair) { return brackets_are_free(plan, pair); });
  if (mark == line_marks.end() || brackets == bracket_pairs.end()) return std::nullopt;
  return Printer(plan, records, *mark, *brackets, options).print();
}

std::string print_reference(const Reference& whole, const Earlier& earlier, bool ends_line) {
  const Records records{std::vector<std::string_view>(whole.length), {}};
  const Plan plan = make_plan(whole.length, {}, {{}, {}, {whole}}, {});
  const PrintOptions options{.ends_line = ends_line, .earlier = &earlier};
  return Printer(plan, records, line_marks[0], bracket_pairs[0], options).print();
}

std::string print_verbatim(std::string_view text) {
  const bool ends_line = text.ends_with('\n');
  if (ends_line) text.remove_suffix(1);
  const Records records{split_lines(text), {}};
  const std::string mark = mark_for_any(records);
  const Plan plan = make_plan(records.lines.size(), {}, Repeats{}, {});
  return Printer(plan, records, mark, bracket_pairs[0], {.ends_line = ends_line}).print();
}

}  // namespace tare::compact
