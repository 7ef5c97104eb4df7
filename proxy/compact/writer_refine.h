// Splits a group of records into groups with a template each, where that saves more than the
// definitions cost.
//
// A group is split by the values of one column, or by their shapes (runs of digits as one), again
// and again up to a small depth; the numbers of columns tried and of splits are bounded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "proxy/compact/writer_fit.h"

namespace tare::compact {

// The records of a template, and what it gains: what a choice among many needs to know of it.
struct Group {
  std::vector<std::uint32_t> rows;  // records, rising
  Cost gain = 0;
  std::shared_ptr<const Template> shape;  // when it is at hand; else it is fitted again
};

// Belongs to one thread, as the fitter does, which must outlive it. Keeps its buffers from one call
// to the next.
class Refiner {
 public:
  explicit Refiner(Fitter& fitter) : fitter_(fitter), place_(fitter.records().size()) {}

  static constexpr std::size_t max_rows = 65'535;  // rows and values are numbered in 16 bits

  // The records that `rows` (rising, at most max_rows) are best split into for a template each,
  // which all gain; may be none.
  std::vector<Group> refine(const Columns& columns, std::span<const std::uint32_t> rows);

 private:
  // A column, by its values or by their shapes.
  struct Feature {
    std::uint32_t groups = 0;  // that are large enough, in a sample
    std::uint32_t column = 0;
    bool by_shape = false;
  };

  std::vector<Group> refine(std::span<const std::uint32_t> rows, std::optional<Group> whole,
                            std::size_t depth);
  std::optional<Group> fit(std::span<const std::uint32_t> rows);
  Cost cost_of(std::span<const std::uint32_t> rows) const;
  std::vector<Feature> find_features(std::span<const std::uint32_t> rows);
  bool may_part(Feature& feature, std::span<const std::uint32_t> rows, std::uint32_t& distinct);
  std::uint64_t group_by(const Feature& feature, std::span<const std::uint32_t> rows);
  std::vector<Group> fit_groups(std::size_t row_count);
  void fit_group(std::span<const std::uint32_t> group, std::vector<std::uint32_t>& rest,
                 std::vector<Group>& parts);
  void number_values();
  void number_column(std::uint32_t column);
  std::uint16_t number_of(std::uint32_t key, std::uint16_t& count);
  // The number of what stands in the feature's column of the row.
  std::uint16_t number(const Feature& feature, std::uint32_t row) const {
    const std::uint16_t value = numbers_[feature.column * all_rows_.size() + place_[row]];
    return feature.by_shape ? shapes_[first_shape_[feature.column] + value] : value;
  }

  Fitter& fitter_;
  // What is refined now.
  Columns columns_;
  std::span<const std::uint32_t> all_rows_;
  std::vector<std::uint16_t> place_;  // of records among these rows
  // What stands in the columns as small numbers, the same for the same values: all rows of the
  // first column, then of the next. Empty until needed.
  std::vector<std::uint16_t> numbers_;
  // For each number the same for the same shapes of values, column by column.
  std::vector<std::uint16_t> shapes_;
  std::vector<std::uint32_t> first_shape_;  // by column

  // Buffers.
  std::vector<std::uint16_t> table_;    // of numbers, with open addressing
  std::vector<std::uint32_t> keys_;     // by number
  std::vector<std::uint16_t> counts_;   // of rows by number, all 0 between calls
  std::vector<std::uint16_t> begins_;   // by number: where its rows begin in grouped_
  std::vector<std::uint16_t> used_;     // numbers that were met, in order
  std::vector<std::uint32_t> sizes_;    // of groups
  std::vector<std::uint32_t> grouped_;  // rows, group by group
};

}  // namespace tare::compact
