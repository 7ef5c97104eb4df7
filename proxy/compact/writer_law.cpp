#include "proxy/compact/writer_law.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "proxy/compact/chars.h"

namespace tare::compact {
namespace {

constexpr std::size_t min_values = 4;
constexpr std::size_t max_digits = 18;
constexpr std::int64_t max_factor = 1'000'000;

bool read_digits(std::string_view digits, std::int64_t& value) {
  if (digits.empty() || digits.size() > max_digits) return false;
  value = 0;
  for (const char c : digits) {
    if (!is_digit(c)) return false;
    value = value * 10 + (c - '0');
  }
  return true;
}

// Only the one spelling that printing the number gives: no plus, no -0, no leading zero.
bool read_canonical(std::string_view text, std::int64_t& value) {
  const bool negative = !text.empty() && text[0] == '-';
  const std::string_view digits = negative ? text.substr(1) : text;
  if (!read_digits(digits, value) || (digits[0] == '0' && (digits.size() > 1 || negative)))
    return false;
  if (negative) value = -value;
  return true;
}

bool read_fixed_width(std::string_view text, std::size_t width, std::int64_t& value) {
  return text.size() == width && read_digits(text, value);
}

// Finds factor and offset with value == factor * number + offset for all; `read` says how a value
// is spelled.
template <typename Read>
bool fit_line(std::span<const std::string_view> values, std::span<const std::uint32_t> numbers,
              Read read, std::string& slot) {
  if (values.size() < min_values) return false;
  std::int64_t first = 0;
  std::int64_t second = 0;
  if (!read(values[0], first) || !read(values[1], second)) return false;
  const std::int64_t step = std::int64_t{numbers[1]} - numbers[0];
  const std::int64_t factor = (second - first) / step;
  if (factor <= 0 || factor >= max_factor || factor * step != second - first) return false;
  const std::int64_t offset = first - factor * numbers[0];
  for (std::size_t i = 2; i < values.size(); ++i) {
    std::int64_t value = 0;
    if (!read(values[i], value) || value != factor * numbers[i] + offset) return false;
  }
  slot.clear();
  if (factor != 1) fmt::format_to(std::back_inserter(slot), "{}", factor);
  slot += 'n';
  if (offset != 0) fmt::format_to(std::back_inserter(slot), "{:+}", offset);
  return true;
}

class Linear final : public Law {
 public:
  bool fit(std::span<const std::string_view> values, std::span<const std::uint32_t> numbers,
           std::string& slot) const override {
    return fit_line(values, numbers, read_canonical, slot);
  }
};

class ZeroPadded final : public Law {
 public:
  bool fit(std::span<const std::string_view> values, std::span<const std::uint32_t> numbers,
           std::string& slot) const override {
    const std::size_t width = values[0].size();
    const auto read = [width](std::string_view text, std::int64_t& value) {
      return read_fixed_width(text, width, value);
    };
    if (!fit_line(values, numbers, read, slot)) return false;
    fmt::format_to(std::back_inserter(slot), ":0{}", width);
    return true;
  }
};

// The values repeat with the line number modulo a small period.
class Cycle final : public Law {
 public:
  bool fit(std::span<const std::string_view> values, std::span<const std::uint32_t> numbers,
           std::string& slot) const override {
    for (std::size_t period = 2; period <= max_period && values.size() >= 3 * period; ++period) {
      std::array<std::string_view, max_period> by_rest{};
      if (repeats(values, numbers, period, by_rest)) {
        return print(std::span(by_rest).first(period), slot);
      }
    }
    return false;
  }

 private:
  static constexpr std::size_t max_period = 8;
  static constexpr std::size_t max_bytes = 80;

  // An empty value never takes part, so an empty place means that a rest has not been seen.
  static bool repeats(std::span<const std::string_view> values,
                      std::span<const std::uint32_t> numbers, std::size_t period,
                      std::array<std::string_view, max_period>& by_rest) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::string_view& expected = by_rest[numbers[i] % period];
      if (expected.empty()) expected = values[i];
      if (values[i].empty() || !same_text(expected, values[i])) return false;
    }
    const auto seen = std::span(by_rest).first(period);
    return std::none_of(seen.begin(), seen.end(), [](std::string_view v) { return v.empty(); });
  }

  static bool plain(std::string_view value) {
    return std::all_of(value.begin(), value.end(), [](char c) {
      return is_alphanumeric(c) || c == '_' || c == '.' || c == '-' || c == '/' || c == ' ';
    });
  }

  static bool print(std::span<const std::string_view> by_rest, std::string& slot) {
    std::size_t bytes = 0;
    for (const std::string_view value : by_rest) {
      if (!plain(value)) return false;
      bytes += value.size();
    }
    if (bytes >= max_bytes) return false;
    slot.clear();
    fmt::format_to(std::back_inserter(slot), "n%{}:", by_rest.size());
    for (std::size_t rest = 0; rest < by_rest.size(); ++rest) {
      fmt::format_to(std::back_inserter(slot), "{}{}={}", rest == 0 ? "" : ",", rest,
                     by_rest[rest]);
    }
    return true;
  }
};

const Linear linear;
const ZeroPadded zero_padded;
const Cycle cycle;
constexpr std::array<const Law*, 3> all_laws{&linear, &zero_padded, &cycle};

// Takes a number off the front of `text`, with its sign when there is one.
bool take_number(std::string_view& text, std::int64_t& value) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  std::size_t digits = 0;
  while (digits < text.size() && is_digit(text[digits])) ++digits;
  if (!read_digits(text.substr(0, digits), value)) return false;
  if (negative) value = -value;
  text.remove_prefix(digits);
  return true;
}

bool take_size(std::string_view& text, std::string_view before, std::size_t& value) {
  if (!text.starts_with(before)) return true;
  text.remove_prefix(before.size());
  std::int64_t number = 0;
  if (!take_number(text, number) || number < 0) return false;
  value = static_cast<std::size_t>(number);
  return true;
}

bool read_table(std::string_view text, std::vector<std::string_view>& by_rest) {
  std::int64_t period = 0;
  if (!take_number(text, period) || !text.starts_with(':')) return false;
  while (!text.empty()) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) return false;
    text.remove_prefix(equals + 1);
    const std::size_t end = std::min(text.find(','), text.size());
    by_rest.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return static_cast<std::size_t>(period) == by_rest.size();
}

}  // namespace

std::span<const Law* const> laws() {
  return all_laws;
}

std::optional<LawSlot> LawSlot::read(std::string_view slot) {
  LawSlot law;
  if (slot.starts_with("n%")) {
    if (!read_table(slot.substr(2), law.by_rest_)) return std::nullopt;
    return law;
  }
  if (!slot.starts_with('n') && !take_number(slot, law.factor_)) return std::nullopt;
  if (!slot.starts_with('n')) return std::nullopt;
  slot.remove_prefix(1);
  const bool offset = slot.starts_with('+') || slot.starts_with('-');
  if (offset && !take_number(slot, law.offset_)) return std::nullopt;
  if (!take_size(slot, ":0", law.zeros_) || !take_size(slot, ",", law.width_) || !slot.empty())
    return std::nullopt;
  return law;
}

void LawSlot::append(std::string& out, std::uint32_t number) const {
  if (!by_rest_.empty()) {
    out += by_rest_[number % by_rest_.size()];
    return;
  }
  const std::int64_t value = factor_ * number + offset_;
  if (zeros_ > 0) {
    fmt::format_to(std::back_inserter(out), "{:0{}}", value, zeros_);
  } else {
    fmt::format_to(std::back_inserter(out), "{:>{}}", value, width_);
  }
}

}  // namespace tare::compact
