// Blanks between aligned columns: fixed, up to a tab stop, or making the value behind them
// right-aligned.
#include <algorithm>

#include <fmt/format.h>

#include "proxy/compact/chars.h"
#include "proxy/compact/writer_fit.h"

namespace tare::compact {
namespace {

constexpr std::uint16_t no_blanks = UINT16_MAX;
constexpr std::size_t min_rows = 3;
constexpr std::uint32_t max_column = 4096;

// What is too far out for a column to be there is all the same.
std::uint16_t capped(std::size_t characters) {
  return static_cast<std::uint16_t>(std::min<std::size_t>(characters, max_column));
}

// The most frequent of the sums that is below max_column, and the smallest such.
std::uint32_t usual_sum(std::span<const std::uint16_t> a, std::span<const std::uint16_t> blanks,
                        std::vector<std::uint32_t>& counts) {
  counts.assign(1, 0);
  for (std::size_t row = 0; row < blanks.size(); ++row) {
    if (blanks[row] == no_blanks || a[row] + blanks[row] >= max_column) continue;
    const std::size_t sum = std::size_t{a[row]} + blanks[row];
    if (sum >= counts.size()) counts.resize(sum + 1, 0);
    ++counts[sum];
  }
  return static_cast<std::uint32_t>(std::max_element(counts.begin(), counts.end()) -
                                    counts.begin());
}

}  // namespace

// Sets `width` when the values are right-aligned. A tab stop becomes a hole. Rows that do not fit
// leave, when they are few.
Fitter::Outcome Fitter::fit_gap(const Columns& columns, std::size_t column, std::uint32_t& width) {
  width = 0;
  const std::string_view first = columns.gap(shape_.rows[0], column);
  const auto differs = [&](std::uint32_t row) { return columns.gap(row, column) != first; };
  if (std::none_of(shape_.rows.begin(), shape_.rows.end(), differs)) return Outcome::fitted;

  const std::uint32_t least = column > 0 ? 1 : 0;
  const std::size_t rows = shape_.rows.size();
  positions_.resize(rows);
  blanks_.resize(rows);
  lengths_.resize(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::string_view gap = columns.gap(shape_.rows[row], column);
    const char* begin = records_[shape_.rows[row]].data();
    positions_[row] =
        capped(count_characters({begin, static_cast<std::size_t>(gap.data() - begin)}));
    const bool blank = gap.size() >= least && gap.find_first_not_of(' ') == std::string_view::npos;
    blanks_[row] = blank ? capped(gap.size()) : no_blanks;
    lengths_[row] = capped(count_characters(columns.value(shape_.rows[row], column)));
  }
  const std::uint32_t stop = usual_sum(positions_, blanks_, counts_);
  const std::uint32_t right = usual_sum(lengths_, blanks_, counts_);
  const auto fits = [&](std::size_t row, std::uint32_t sum,
                        const std::vector<std::uint16_t>& taken) {
    return blanks_[row] == std::max(sum > taken[row] ? sum - taken[row] : 0, least);
  };
  std::size_t at_stop = 0;
  std::size_t at_right = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    at_stop += fits(row, stop, positions_) ? 1U : 0U;
    at_right += fits(row, right, lengths_) ? 1U : 0U;
  }
  const bool tab = at_stop >= at_right;
  const std::size_t fitting = tab ? at_stop : at_right;
  if (fitting < rows) {
    if (10 * fitting < 6 * rows || fitting < min_rows) return Outcome::failed;
    marked_.assign(rows, false);
    for (std::size_t row = 0; row < rows; ++row) {
      marked_[row] = !(tab ? fits(row, stop, positions_) : fits(row, right, lengths_));
    }
    drop_marked();
    return Outcome::rows_left;
  }
  if (tab) {
    add_hole(first, Hole::Kind::tab, fmt::format("@{}{}", stop, least == 1 ? "+" : ""));
  } else {
    width = right - std::min(right, least);
  }
  return Outcome::fitted;
}

// `begin` is where the value with its blanks begins in the leader.
void Fitter::fit_right_aligned(std::span<const std::string_view> values, std::uint32_t width,
                               std::uint32_t begin) {
  if (fit_law(values)) {
    Hole& hole = holes().back();
    if (hole.text.find(':') == std::string::npos) {
      hole.text += fmt::format(",{}", width);
      hole.begin = begin;
      return;
    }
    holes().pop_back();
  }
  add_open(values);
  holes().back().begin = begin;
  holes().back().width = width;
}

}  // namespace tare::compact
