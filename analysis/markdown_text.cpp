#include "analysis/markdown_text.h"

#include <fmt/format.h>

#include <cmath>

namespace tare::analysis::markdown {
namespace {

// Commas into the whole part of a number written without them.
std::string with_commas(std::string number) {
  const std::size_t first = number.starts_with('-') ? 1 : 0;
  std::size_t at = std::min(number.find('.'), number.size());
  while (at > first + 3) {
    at -= 3;
    number.insert(at, ",");
  }
  return number;
}

std::string fixed(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.starts_with('-') && text.find_first_of("123456789") == std::string::npos)
    text.erase(0, 1);
  return with_commas(text);
}

}  // namespace

std::string grouped(std::size_t value) {
  return with_commas(fmt::format("{}", value));
}

std::string milliseconds(double value) {
  const double size = std::abs(value);
  return fixed(value, size >= 100 ? 1 : size >= 10 ? 2 : size >= 0.0995 ? 3 : 4);
}

std::string bytes(double value) {
  std::string text = fixed(value, 2);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string mebibytes(double value) {
  return fixed(value / 1048576, 2);
}

std::string percent(double share) {
  return fixed(share * 100, std::abs(share) >= 0.99 && std::abs(share) < 1 ? 2 : 1) + " %";
}

std::string percent_of(std::size_t part, std::size_t whole) {
  if (whole == 0) return std::string(none);
  return fmt::format("{:.1f}", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string text_of(const Figure& figure) {
  if (!figure.value) return std::string(none);
  switch (figure.metric->unit) {
    case Unit::count:
    case Unit::tokens:
    case Unit::estimated_tokens:
      return fixed(*figure.value, 0);
    case Unit::milliseconds:
      return milliseconds(*figure.value);
    case Unit::bytes:
      return bytes(*figure.value);
    case Unit::share:
      return percent(*figure.value);
  }
  return "";
}

std::string optional_text(std::optional<double> value, std::string (*write)(double)) {
  return value ? write(*value) : std::string(none);
}

std::string plain(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '|') result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result;
}

std::string Table::text() const {
  std::string text = "|";
  std::string rule = "|";
  for (const auto& title : titles_) {
    const bool number = title.starts_with('>');
    text += fmt::format(" {} |", number ? title.substr(1) : title);
    rule += number ? "---:|" : "---|";
  }
  text += "\n" + rule + "\n";
  for (const auto& row : rows_) {
    text += "|";
    for (const auto& cell : row) text += fmt::format(" {} |", cell);
    text += "\n";
  }
  return text;
}

}  // namespace tare::analysis::markdown
