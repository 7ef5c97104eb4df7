// The values of split records, and how a group of records is to be seen as columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "proxy/compact/writer_part.h"

namespace tare::compact {

// What a splitter found in each record: its values, one behind the other. Belongs to one thread.
class Grid {
 public:
  explicit Grid(std::span<const std::string_view> records) : records_(records) {}

  // The values of the next record: parts of it, in order.
  void add_record(std::span<const std::string_view> values) {
    const std::string_view record = records_[first_.size()];
    first_.push_back(static_cast<std::uint32_t>(values_.size()));
    for (const std::string_view value : values) values_.push_back(Part::of(record, value));
  }

  // The next record has its values where this one before it has them.
  void add_twin(std::uint32_t record) {
    const std::uint32_t values = count(record);
    first_.push_back(static_cast<std::uint32_t>(values_.size()));
    values_.repeat(first_[record], values);
  }

  // There are no more records.
  void finish() { values_.shrink_to_fit(); }
  std::string_view record(std::uint32_t record) const { return records_[record]; }
  std::uint32_t count(std::uint32_t record) const {
    const std::size_t end = record + 1 < first_.size() ? first_[record + 1] : values_.size();
    return static_cast<std::uint32_t>(end) - first_[record];
  }
  std::string_view value(std::uint32_t record, std::size_t column) const {
    return values_[first_[record] + column].in(records_[record]);
  }

 private:
  std::span<const std::string_view> records_;
  std::vector<std::uint32_t> first_;  // of each record: where its values begin
  Parts values_;
};

// A way to see records as `count` columns.
struct Columns {
  const Grid* grid = nullptr;
  std::uint32_t count = 0;
  bool aligned = false;  // the text between values may differ in its blanks, and the last column
                         // goes to the line's end

  std::string_view value(std::uint32_t record, std::size_t column) const {
    const std::string_view value = grid->value(record, column);
    if (!is_rest(column)) return value;
    const std::string_view line = grid->record(record);
    return line.substr(static_cast<std::size_t>(value.data() - line.data()));
  }
  // The text in front of a value, back to the value before it or the line's beginning.
  std::string_view gap(std::uint32_t record, std::size_t column) const {
    const char* begin = grid->record(record).data();
    if (column > 0) {
      const std::string_view before = grid->value(record, column - 1);
      begin = before.data() + before.size();
    }
    return {begin, static_cast<std::size_t>(grid->value(record, column).data() - begin)};
  }

 private:
  bool is_rest(std::size_t column) const { return aligned && column + 1 == count; }
};

}  // namespace tare::compact
