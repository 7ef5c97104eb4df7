// Finds the template of records that were split alike, column by column.
//
// A column is fixed text, or fixed text around a law in the line number or an open slot; with
// aligned columns, blanks before it may lead to a tab stop or make it right-aligned. Before laws
// are decided, rows that are exceptional leave: where one value (or one shape of value) fills three
// quarters of a column, rows with a rare other one stay out and so stay verbatim. One Fitter serves
// one text at a time; it keeps its buffers between calls.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/compact/cost.h"
#include "proxy/compact/writer_grid.h"
#include "proxy/compact/writer_input.h"
#include "proxy/compact/writer_template.h"

namespace tare::compact {

class Fitter {
 public:
  // What the input refers to must outlive the fitter. Without its laws no value is told by its line
  // number.
  explicit Fitter(const MiningInput& input)
      : records_(input.records),
        costs_(input.costs),
        line_numbers_(input.numbers),
        twins_(input.twins),
        laws_(input.laws) {
    shape_.lines.resize(1);
    shape_.records = records_;
  }

  // `rows` are records, rising. The template may leave some out. Null when no separator fits or too
  // few rows stay. Valid until the next call, here and below.
  const Template* fit(const Columns& columns, std::span<const std::uint32_t> rows);

  // The template of records that begin with the same `prefix` bytes; what follows is one slot, but
  // for a common end.
  const Template* fit_prefix(std::size_t prefix, std::span<const std::uint32_t> rows);

  // What the last call returned, when it was not null.
  const Template& last() const { return shape_; }

  std::span<const std::string_view> records() const { return records_; }
  std::span<const LineCost> costs() const { return costs_; }

 private:
  enum class Outcome { fitted, rows_left, failed };

  void begin(bool laws_allowed);
  Outcome fit_columns(const Columns& columns, bool laws_allowed);
  Outcome fit_gap(const Columns& columns, std::size_t column, std::uint32_t& width);
  bool constant(const Columns& columns, std::size_t column) const;
  void fit_values(std::span<std::string_view> values, bool whole);
  void fit_right_aligned(std::span<const std::string_view> values, std::uint32_t width,
                         std::uint32_t begin);
  std::vector<Hole>& holes() { return shape_.lines[0].holes; }
  bool fit_law(std::span<const std::string_view> values);
  bool fit_parts(std::span<const std::string_view> values);
  bool find_equal_slot(std::span<const std::string_view> values, std::uint32_t& slot) const;
  void add_open(std::span<const std::string_view> values);
  void add_hole(std::string_view leader_value, Hole::Kind kind, std::string text);
  bool drop_outliers();
  bool drop_lone_quotes();
  bool drop_marked();
  const Template* finish();

  std::span<const std::string_view> records_;
  std::span<const LineCost> costs_;
  std::span<const std::uint32_t> line_numbers_;
  std::span<const std::uint32_t> twins_;
  bool laws_;

  Template shape_;                      // in the making
  std::vector<std::uint32_t> numbers_;  // the rows' line numbers
  bool all_twins_ = false;              // the rows differ in digits only
  bool laws_allowed_ = true;
  bool has_law_ = false;

  // Buffers.
  std::vector<std::string_view> column_;
  std::vector<std::string_view> part_;    // a part of each value
  std::vector<std::uint32_t> part_ends_;  // where in the values it ends
  std::vector<std::uint16_t>
      positions_;  // aligned columns: where the text so far ends, in characters
  std::vector<std::uint16_t>
      blanks_;  // aligned columns: characters of the gap; no_blanks when it is none
  std::vector<std::uint16_t> lengths_;  // aligned columns: characters of the value
  std::vector<std::uint32_t> counts_;
  std::vector<bool> marked_;
  std::string text_;
};

}  // namespace tare::compact
