#include "proxy/compact/reader_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace tare::compact::reader {
namespace {

// A slot may come to nothing, so the length of the output does not bound the work; this does.
constexpr std::uint64_t pieces_per_byte = 16;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_label(char c) {
  return c >= 'a' && c <= 'z';
}

std::string_view take_label(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_label);
  const auto label = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(label.size());
  return label;
}

// "(1" sep "2" sep "3" ... ")"; no list at all is one as well.
struct Parameters {
  std::string_view separator;
  std::size_t count = 0;
};
std::optional<Parameters> take_parameters(std::string_view& text) {
  Parameters parameters;
  if (!text.starts_with('(')) return parameters;
  if (!take(text, "(1")) return std::nullopt;
  const auto end = std::find_if(text.begin(), text.end(), is_digit);
  parameters.separator = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  if (parameters.separator.empty()) return std::nullopt;
  parameters.count = 1;
  while (take(text, parameters.separator)) {
    const auto number = take_number(text);
    if (number != static_cast<std::int64_t>(parameters.count) + 1) return std::nullopt;
    ++parameters.count;
  }
  if (parameters.count < 2 || !take(text, ")")) return std::nullopt;
  return parameters;
}

// A "-" B
std::optional<std::pair<std::uint64_t, std::uint64_t>> take_range(std::string_view& text) {
  const auto first = take_number(text);
  const bool dash = take(text, "-");
  const auto last = take_number(text);
  if (!first || !dash || !last) return std::nullopt;
  return std::pair(static_cast<std::uint64_t>(*first), static_cast<std::uint64_t>(*last));
}

}  // namespace

std::unexpected<Error> Body::wrong(std::string_view what) const {
  return fail(fault(form_line_, what));
}

Result<void> Body::check_limits() const {
  if (output_.full()) return fail(too_large(form_line_));
  if (lines_ > header_.lines) {
    return wrong(fmt::format("more lines than the {} of the header", header_.lines));
  }
  return {};
}

Result<void> Body::read_line(std::string_view text) {
  ++form_line_;
  if (take(text, header_.mark)) return directive(text);
  if (auto ended = end_definition(); !ended) return ended;
  return mode_ != nullptr ? row(*mode_, text) : plain(text);
}

Result<void> Body::finish() {
  if (auto ended = end_definition(); !ended) return ended;
  if (open_block_ != nullptr) return wrong("a block is still open at the end");
  if (lines_ != header_.lines) {
    return wrong(fmt::format("{} lines, but the header says {}", lines_, header_.lines));
  }
  return {};
}

Result<void> Body::directive(std::string_view text) {
  if (take(text, "+ ")) return next_template_line(text);
  if (auto ended = end_definition(); !ended) return ended;
  if (text.empty()) {
    mode_ = nullptr;
    return {};
  }
  if (take(text, " ")) return plain(text);
  const char first = text.front();
  if (first == ':' || first == '(') return anonymous(text);
  if (first == '@') return reference(text.substr(1));
  if (first == ']') return close_block(text);
  if (is_digit(first)) return repeat(text);
  if (is_label(first)) return labelled(text);
  return wrong(fmt::format("unknown directive {}", quoted(text)));
}

Result<void> Body::plain(std::string_view text) {
  output_.append(text);
  output_.append('\n');
  ++lines_;
  return check_limits();
}

Result<Template> Body::parse_template(std::string_view text, std::string_view between) {
  const auto parameters = take_parameters(text);
  if (!parameters) return wrong("expected a parameter list such as (1 2)");
  if (!take(text, between)) {
    return wrong(fmt::format("expected '{}' and a template, found {}", between, quoted(text)));
  }
  Template parsed(form_line_, parameters->separator, parameters->count);
  if (auto added = parsed.add_line(text, header_.open, header_.close, form_line_); !added) {
    return fail(added.error());
  }
  return parsed;
}

Result<void> Body::anonymous(std::string_view text) {
  auto parsed = parse_template(text, ": ");
  if (!parsed) return fail(parsed.error());
  anonymous_ = std::move(*parsed);
  mode_ = defining_ = &*anonymous_;
  return {};
}

Result<void> Body::define(std::string_view label, std::string_view text) {
  auto parsed = parse_template(text, " = ");
  if (!parsed) return fail(parsed.error());
  defining_ = &std::get<Template>(names_.emplace(label, std::move(*parsed)).first->second);
  return {};
}

Result<void> Body::next_template_line(std::string_view text) {
  if (defining_ == nullptr) return wrong("a template's next line must follow the template");
  return defining_->add_line(text, header_.open, header_.close, form_line_);
}

Result<void> Body::end_definition() {
  if (defining_ == nullptr) return {};
  const auto* ended = std::exchange(defining_, nullptr);
  return ended->check_parameters();
}

Result<void> Body::repeat(std::string_view text) {
  const auto period = take_number(text);
  const bool star = take(text, "*");
  const auto times = take_number(text);
  if (!period || !star || !times || !text.empty() || *period == 0 || *times == 0) {
    return wrong("expected a repeat such as 3*5");
  }
  const auto period_lines = static_cast<std::uint64_t>(*period);
  const auto count = static_cast<std::uint64_t>(*times);
  if (period_lines > lines_) {
    return wrong(fmt::format("repeats {} lines where there are {}", period_lines, lines_));
  }
  if (count > (header_.lines - lines_) / period_lines) {
    return wrong(fmt::format("repeats past the {} lines of the header", header_.lines));
  }
  output_.repeat_tail(begin_of_last_lines(output_.view(), period_lines), count);
  lines_ += period_lines * count;
  return check_limits();
}

// NAME | NAME " " A "-" B | " " A "-" B
Result<void> Body::reference(std::string_view text) {
  const auto name = text.substr(0, text.find(' '));
  text.remove_prefix(name.size());
  if (!name.empty()) referred_ = earlier_.find(name);
  if (referred_ == nullptr) {
    return fail(
        fault(form_line_,
              name.empty()
                  ? "no output is named here or above"
                  : fmt::format("refers to the output of call {}, which is not here", quoted(name)),
              "the outputs before this one in the same request are needed too"));
  }
  std::uint64_t first = 1;
  std::uint64_t last = referred_->lines();
  if (!text.empty() || name.empty()) {
    const auto range = take(text, " ") ? take_range(text) : std::nullopt;
    if (!range || !text.empty()) return wrong("expected lines such as 2-9 of that output");
    std::tie(first, last) = *range;
  }
  if (first == 0 || first > last || last > referred_->lines()) {
    return wrong(fmt::format("lines {}-{} of an output of {}", first, last, referred_->lines()));
  }
  output_.append(referred_->stretch(first, last));
  output_.append('\n');
  lines_ += last - first + 1;
  return check_limits();
}

Result<void> Body::close_block(std::string_view text) {
  if (text != "]") return wrong(fmt::format("unknown directive {}", quoted(text)));
  if (open_block_ == nullptr) return wrong("no block is open here");
  open_block_->open = false;
  open_block_->end = output_.size();
  open_block_->lines = lines_ - open_block_->lines_before;
  open_block_ = nullptr;
  return {};
}

Result<void> Body::labelled(std::string_view text) {
  const auto label = take_label(text);
  const auto found = names_.find(label);
  if (found != names_.end()) {
    if (auto* named = std::get_if<Template>(&found->second)) return use(*named, text);
    return use(std::get<Block>(found->second), text);
  }
  if (text == "[") {
    if (open_block_ != nullptr) return wrong("a block begins inside another");
    const Block block{.begin = output_.size(), .lines_before = lines_};
    open_block_ = &std::get<Block>(names_.emplace(label, block).first->second);
    return {};
  }
  if (text.starts_with('(') || text.starts_with(" = ")) return define(label, text);
  return wrong(fmt::format("label {} is not defined above", quoted(label)));
}

Result<void> Body::use(const Block& block, std::string_view text) {
  if (block.open) return wrong("a block cannot stand inside itself");
  if (!text.empty()) return wrong("nothing may follow the label of a block");
  output_.copy(block.begin, block.end);
  lines_ += block.lines;
  return check_limits();
}

Result<void> Body::use(Template& named, std::string_view text) {
  if (text == ":") {
    mode_ = &named;
    return {};
  }
  if (named.slots() == 0 && text.empty()) return instance(named);
  if (!take(text, " ")) return wrong("expected a blank and values, or a colon, behind the label");
  return named.slots() == 0 ? range(named, text) : row(named, text);
}

Result<void> Body::range(const Template& named, std::string_view text) {
  const auto lines = take_range(text);
  if (!lines || !text.empty()) return wrong("expected lines such as 2-9");
  const auto [begin, end] = *lines;
  if (begin != lines_ + 1) {
    return wrong(
        fmt::format("the range begins at line {}, but line {} comes next", begin, lines_ + 1));
  }
  if (end < begin || (end - lines_) % named.line_count() != 0) {
    return wrong(fmt::format("lines {}-{} are no whole number of instances", begin, end));
  }
  if (end > header_.lines) {
    return wrong(fmt::format("the range ends past the {} lines of the header", header_.lines));
  }
  while (lines_ < end) {
    if (stop_.stop_requested()) return fail(stopped());
    if (auto done = instance(named); !done) return done;
  }
  return {};
}

Result<void> Body::row(Template& named, std::string_view text) {
  if (auto values = named.read_row(text, form_line_); !values) return values;
  return instance(named);
}

Result<void> Body::instance(const Template& named) {
  named.write(lines_ + 1, output_);
  lines_ += named.line_count();
  work_ += named.pieces();
  if (work_ / pieces_per_byte > form_bytes_ + output_.size()) {
    return wrong("too many slots that come to nothing");
  }
  return check_limits();
}

}  // namespace tare::compact::reader
