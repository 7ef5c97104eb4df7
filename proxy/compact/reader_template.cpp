#include "proxy/compact/reader_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace tare::compact::reader {
namespace {

constexpr std::size_t max_width_digits = 9;
constexpr std::size_t max_offset_digits = 36;
constexpr std::int64_t ten_to_18 = 1'000'000'000'000'000'000;

std::optional<std::size_t> take_size(std::string_view& text) {
  const auto number = take_number(text, max_width_digits);
  if (!number) return std::nullopt;
  return static_cast<std::size_t>(*number);
}

std::optional<Int128> take_offset(std::string_view& text) {
  const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0 || digits > max_offset_digits) return std::nullopt;
  Int128 number = 0;
  for (const char digit : text.substr(0, digits)) number = number * 10 + (digit - '0');
  text.remove_prefix(digits);
  return number;
}

// j [","["-"]W]
std::optional<Piece> parse_value(std::string_view text) {
  ValueSlot slot;
  const auto number = take_size(text);
  if (!number || *number == 0) return std::nullopt;
  slot.index = *number - 1;
  if (take(text, ",")) {
    slot.left = take(text, "-");
    const auto width = take_size(text);
    if (!width) return std::nullopt;
    slot.width = *width;
  }
  if (!text.empty()) return std::nullopt;
  return slot;
}

// [a] "n" [+-b] [":0"w] [",W"]
std::optional<Piece> parse_number(std::string_view text) {
  NumberSlot slot;
  if (!text.starts_with('n')) {
    const auto factor = take_number(text);
    if (!factor) return std::nullopt;
    slot.factor = *factor;
  }
  if (!take(text, "n")) return std::nullopt;
  if (text.starts_with('+') || text.starts_with('-')) {
    const bool negative = text.front() == '-';
    text.remove_prefix(1);
    const auto offset = take_offset(text);
    if (!offset) return std::nullopt;
    slot.offset = negative ? -*offset : *offset;
  }
  if (take(text, ":0")) {
    const auto zeros = take_size(text);
    if (!zeros) return std::nullopt;
    slot.zeros = *zeros;
  }
  if (take(text, ",")) {
    const auto width = take_size(text);
    if (!width) return std::nullopt;
    slot.width = *width;
  }
  if (!text.empty()) return std::nullopt;
  return slot;
}

// p ":" 0=x,1=y,... with every remainder once and in order
std::optional<Piece> parse_table(std::string_view text) {
  const auto period = take_number(text);
  if (!period || *period == 0 || !take(text, ":")) return std::nullopt;
  TableSlot slot;
  for (std::int64_t remainder = 0;; ++remainder) {
    const auto key = take_number(text);
    if (key != remainder || !take(text, "=")) return std::nullopt;
    const auto end = std::min(text.find(','), text.size());
    slot.entries.push_back(text.substr(0, end));
    if (end == text.size()) {
      if (remainder + 1 != *period) return std::nullopt;
      return slot;
    }
    text.remove_prefix(end + 1);
  }
}

// c "+"*m
std::optional<Piece> parse_tab(std::string_view text) {
  const auto column = take_size(text);
  if (!column || text.find_first_not_of('+') != std::string_view::npos) return std::nullopt;
  return TabSlot{*column, text.size()};
}

std::optional<Piece> parse_slot(std::string_view text) {
  if (take(text, "@")) return parse_tab(text);
  if (take(text, "n%")) return parse_table(text);
  if (text.find('n') != std::string_view::npos) return parse_number(text);
  return parse_value(text);
}

// Writes the lines of one instance.
class Writer {
 public:
  Writer(std::span<const std::string_view> values, std::uint64_t n, Output& output)
      : values_(values), n_(n), output_(output), counted_to_(output.size()) {}

  void operator()(const Literal& piece) { output_.append(piece.text); }

  void operator()(const ValueSlot& slot) {
    const std::string_view value = values_[slot.index];
    if (slot.width == 0) return output_.append(value);
    const std::size_t length = count_characters(value);
    const std::size_t blanks = slot.width > length ? slot.width - length : 0;
    if (!slot.left) output_.append(blanks, ' ');
    output_.append(value);
    if (slot.left) output_.append(blanks, ' ');
  }

  void operator()(const NumberSlot& slot) {
    const Int128 number = Int128{slot.factor} * static_cast<std::int64_t>(n_) + slot.offset;
    const bool negative = number < 0;
    std::array<char, 40> digits;
    const std::size_t length = format(negative ? -number : number, digits);
    const std::size_t with_sign = length + (negative ? 1 : 0);
    const std::size_t zeros = slot.zeros > with_sign ? slot.zeros - with_sign : 0;
    const std::size_t whole = with_sign + zeros;
    if (slot.width > whole) output_.append(slot.width - whole, ' ');
    if (negative) output_.append('-');
    if (zeros > 0) output_.append(zeros, '0');
    output_.append(std::string_view(digits.data(), length));
  }

  void operator()(const TableSlot& slot) {
    output_.append(slot.entries[static_cast<std::size_t>(n_ % slot.entries.size())]);
  }

  void operator()(const TabSlot& slot) {
    const std::string_view so_far = output_.view();
    column_ += count_characters(so_far.substr(std::min(counted_to_, so_far.size())));
    const std::size_t missing = slot.column > column_ ? slot.column - column_ : 0;
    const std::size_t blanks = std::max(missing, slot.least);
    output_.append(blanks, ' ');
    column_ += blanks;
    counted_to_ = output_.size();
  }

 private:
  // Not negative and below 2e36, so that the part above 18 digits fits as well.
  static std::size_t format(Int128 number, std::array<char, 40>& digits) {
    char* begin = digits.data();
    char* const end = begin + digits.size();
    if (number < ten_to_18) {
      const auto low = static_cast<std::int64_t>(number);
      return static_cast<std::size_t>(std::to_chars(begin, end, low).ptr - begin);
    }
    char* const middle =
        std::to_chars(begin, end, static_cast<std::int64_t>(number / ten_to_18)).ptr;
    std::fill(middle, middle + 18, '0');
    std::array<char, 20> low;
    char* const low_end = std::to_chars(low.data(), low.data() + low.size(),
                                        static_cast<std::int64_t>(number % ten_to_18))
                              .ptr;
    std::copy_backward(low.data(), low_end, middle + 18);
    return static_cast<std::size_t>(middle + 18 - begin);
  }

  std::span<const std::string_view> values_;
  std::uint64_t n_;
  Output& output_;
  std::size_t column_ = 0;
  std::size_t counted_to_;  // the column is that of this place in the output
};

}  // namespace

Result<void> Template::add_line(std::string_view text, std::string_view open,
                                std::string_view close, std::size_t form_line) {
  std::vector<Piece> pieces;
  while (!text.empty()) {
    const auto begin = std::min(text.find(open), text.size());
    if (begin > 0) pieces.push_back(Literal{text.substr(0, begin)});
    text.remove_prefix(begin);
    if (!take(text, open)) break;
    const auto end = text.find(close);
    if (end == std::string_view::npos) {
      return fail(fault(form_line, fmt::format("slot {} is not closed", quoted(text))));
    }
    const auto slot = parse_slot(text.substr(0, end));
    if (!slot) {
      return fail(fault(form_line, fmt::format("unknown slot {}", quoted(text.substr(0, end)))));
    }
    if (const auto* value = std::get_if<ValueSlot>(&*slot)) {
      slots_ = std::max(slots_, value->index + 1);
    }
    pieces.push_back(*slot);
    text.remove_prefix(end + close.size());
  }
  pieces_ += pieces.size() + 1;
  lines_.push_back(std::move(pieces));
  return {};
}

Result<void> Template::check_parameters() const {
  if (std::max<std::size_t>(listed_slots_, 1) == std::max<std::size_t>(slots_, 1)) return {};
  return fail(fault(form_line_, fmt::format("the template has {} open slots, its parameter list {}",
                                            slots_, listed_slots_)));
}

Result<void> Template::read_row(std::string_view row, std::size_t form_line) {
  constexpr std::string_view ditto = "\"";
  if (slots_ == 0) {
    if (row.empty()) return {};
    return fail(fault(form_line, "a value, but the template has no open slot"));
  }
  if (slots_ == 1) {
    values_.assign(1, row);
    return {};
  }
  const bool first = values_.empty();
  values_.resize(slots_);
  for (std::size_t i = 0; i < slots_; ++i) {
    const bool last = i + 1 == slots_;
    const auto end = last ? row.size() : row.find(separator_);
    if (end == std::string_view::npos) {
      return fail(
          fault(form_line, fmt::format("{} values where the template takes {}", i + 1, slots_)));
    }
    const auto value = row.substr(0, end);
    if (value != ditto) {
      values_[i] = value;
    } else if (first) {
      return fail(fault(form_line, "'\"' with no line before whose value it could repeat"));
    }
    if (!last) row.remove_prefix(end + separator_.size());
  }
  return {};
}

void Template::write(std::uint64_t n, Output& output) const {
  for (const auto& line : lines_) {
    Writer writer(values_, n++, output);
    for (const auto& piece : line) {
      if (output.full()) return;
      std::visit(writer, piece);
    }
    output.append('\n');
  }
}

}  // namespace tare::compact::reader
