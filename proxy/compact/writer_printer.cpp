#include "proxy/compact/writer_printer.h"

#include <fmt/format.h>

#include <iterator>

namespace tare::compact {
namespace {

// a, b, ..., z, aa, ab, ...
std::string label(std::size_t index) {
  std::string name;
  for (std::size_t left = index + 1; left > 0; left = (left - 1) / 26) {
    name.insert(name.begin(), static_cast<char>('a' + (left - 1) % 26));
  }
  return name;
}

}  // namespace

void Printer::add(const Plan& plan, const Records& records, bool ditto) {
  plan_ = &plan;
  records_ = &records;
  dittos_ = ditto;
  uses_.assign(plan.templates.size(), {});
  block_names_.clear();
  row_above_ = nullptr;
  if (heading_ != no_template) heading_ = other_part;
  note_uses();
  for (std::size_t i = 0; i < plan.items.size() && !options_.stop.stop_requested();) {
    change_heading(plan.items[i].heading);
    i = print_item(i);
  }
}

std::string Printer::finish(const Records& all, std::size_t line_count) {
  body_.insert(0, header(all, line_count));
  if (options_.ends_line) {
    body_ += '\n';
  } else if (body_.ends_with('\n')) {
    body_ += '\n';  // the last line is empty: the bare mark stands for no line
    body_ += mark_;
  }
  return std::move(body_);
}

void Printer::note_uses() {
  std::uint32_t heading = no_template;
  for (const Item& item : plan_->items) {
    if (item.heading != heading && item.heading != no_template) ++uses_[item.heading].headings;
    heading = item.heading;
    if (item.kind == Item::Kind::instance && item.shape != heading)
      uses_[item.shape].labelled = true;
  }
}

void Printer::define(std::uint32_t index) {
  uses_[index].name = label(names_++);
  begin_line();
  body_ += mark_;
  body_ += uses_[index].name;
  append_definition(plan_->templates[index], " = ");
  used_.definition = true;
}

void Printer::append_definition(const Template& shape, std::string_view before) {
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

void Printer::begin_named(std::uint32_t index) {
  if (uses_[index].name.empty()) define(index);
  begin_line();
  body_ += mark_;
  body_ += uses_[index].name;
}

void Printer::change_heading(std::uint32_t heading) {
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
    append_definition(plan_->templates[heading], ": ");
    used_.anonymous_heading = true;
  } else {
    begin_named(heading);
    body_ += ':';
    used_.named_heading = true;
  }
}

std::size_t Printer::print_item(std::size_t i) {
  const Item& item = plan_->items[i];
  switch (item.kind) {
    case Item::Kind::verbatim:
      print_verbatim(item);
      return i + 1;
    case Item::Kind::run:
      print_run(plan_->repeats.runs[item.index]);
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
  if (plan_->templates[item.shape].slots == 0) return print_closed(i);
  print_row(item);
  return i + 1;
}

void Printer::print_verbatim(const Item& item) {
  const std::string_view line = records_->lines[item.record];
  begin_line();
  if (heading_ != no_template || line.starts_with(mark_)) {
    body_ += mark_;
    body_ += ' ';
    used_.verbatim_mark = true;
  }
  body_ += line;
}

void Printer::print_run(const Repeat& run) {
  fmt::format_to(std::back_inserter(body_), "\n{}{}*{}", mark_, run.period, run.times);
  used_.run = true;
}

void Printer::print_reference(std::uint32_t index) {
  const Reference& reference = plan_->repeats.references[index];
  const Reference* before = index > 0 ? &plan_->repeats.references[index - 1] : nullptr;
  begin_line();
  body_ += mark_;
  append_reference(body_, reference, before, *options_.earlier);
  const bool same = before != nullptr && before->output == reference.output;
  (reference.whole ? used_.whole_output : same ? used_.same_output : used_.lines_of_output) = true;
}

void Printer::begin_block(std::uint32_t source) {
  const std::string name = label(names_++);
  fmt::format_to(std::back_inserter(body_), "\n{}{}[", mark_, name);
  block_names_.emplace(source, name);
  used_.block = true;
}

void Printer::print_row(const Item& item) {
  const Template& shape = plan_->templates[item.shape];
  const bool bare = item.shape == heading_;
  if (bare) {
    begin_line();
  } else {
    begin_named(item.shape);
    body_ += ' ';
    used_.labelled_row = true;
  }
  if (!dittos_) {
    append_row(body_, shape, item.index);
    return;
  }
  const bool goes_on = bare && row_above_ == &item - 1 && row_above_->shape == item.shape;
  if (ditto_.append(body_, shape, item.index, goes_on)) used_.ditto = true;
  row_above_ = bare ? &item : nullptr;
}

std::size_t Printer::print_closed(std::size_t i) {
  const Item& first = plan_->items[i];
  std::size_t end = i + 1;
  while (end < plan_->items.size() && plan_->items[end].kind == Item::Kind::instance &&
         plan_->items[end].shape == first.shape && plan_->items[end].heading == first.heading) {
    ++end;
  }
  begin_named(first.shape);
  if (end - i > 1) {
    const std::size_t number = std::size_t{records_->first_line} + first.record + 1;
    fmt::format_to(std::back_inserter(body_), " {}-{}", number,
                   number - 1 + (end - i) * plan_->templates[first.shape].span());
  }
  return end;
}

std::string Printer::header(const Records& all, std::size_t line_count) const {
  std::string head = fmt::format("[{}{}{} compact", mark_, brackets_.open, brackets_.close);
  if (!all.layout.empty()) fmt::format_to(std::back_inserter(head), " JSON ({})", all.layout);
  fmt::format_to(std::back_inserter(head), ", lossless, {} lines", line_count);
  if (all.string_end > 0)
    fmt::format_to(std::back_inserter(head), ", {}-{} inside a JSON string", all.string_first + 1,
                   all.string_end);
  return head + legend(used_, mark_, brackets_) + ']';
}

}  // namespace tare::compact
