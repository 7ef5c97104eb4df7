// Numbers and tables as the markdown report writes them. Pure; no locale.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/figures.h"

namespace tare::analysis::markdown {

// "2,160"
std::string grouped(std::size_t value);
// About four significant digits, at least enough to see microseconds: "0.0213", "7.912", "4,578.3".
std::string milliseconds(double value);
// Whole, or with up to two decimals: "18,207", "16,688.6".
std::string bytes(double value);
std::string mebibytes(double value);
std::string percent(double share);                            // "94.8 %"
std::string percent_of(std::size_t part, std::size_t whole);  // "94.8"; "–" of nothing
// As the figure's unit asks; "–" without a value.
std::string text_of(const Figure& figure);
std::string optional_text(std::optional<double> value, std::string (*write)(double));

inline constexpr std::string_view none = "–";

// Text from the raw data, on one line, with nothing that would end a table's cell.
std::string plain(std::string_view text);

class Table {
 public:
  // A title that begins with '>' makes a column of numbers.
  explicit Table(std::vector<std::string> titles) : titles_(std::move(titles)) {}
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }
  std::string text() const;

 private:
  std::vector<std::string> titles_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace tare::analysis::markdown
