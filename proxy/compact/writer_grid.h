// The values of split records, and how a group of records is to be seen as columns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "proxy/compact/chars.h"

namespace tare::compact {

// What a splitter found in each record: its values, one behind the other. Belongs to one thread.
class Grid {
 public:
  explicit Grid(std::span<const std::string_view> records) : records_(records) {}

  // The values of the next record: parts of it, in order.
  void add_record(std::span<const std::string_view> values) {
    const char* const begin = records_[first_.size()].data();
    first_.push_back(static_cast<std::uint32_t>(values_.size()));
    for (const std::string_view value : values) {
      values_.push_back({static_cast<std::uint32_t>(value.data() - begin),
                         static_cast<std::uint32_t>(value.size())});
    }
  }

  // The next record has its values where this one before it has them.
  void add_twin(std::uint32_t record) {
    const std::uint32_t values = count(record);
    const std::size_t size = values_.size();
    first_.push_back(static_cast<std::uint32_t>(size));
    values_.resize(size + values);
    std::copy_n(values_.begin() + first_[record], values,
                values_.begin() + static_cast<std::ptrdiff_t>(size));
  }

  std::string_view record(std::uint32_t record) const { return records_[record]; }
  std::uint32_t count(std::uint32_t record) const {
    const std::size_t end = record + 1 < first_.size() ? first_[record + 1] : values_.size();
    return static_cast<std::uint32_t>(end) - first_[record];
  }
  std::string_view value(std::uint32_t record, std::size_t column) const {
    const Part part = values_[first_[record] + column];
    return {records_[record].data() + part.begin, part.bytes};
  }
  // A hash of the value, or of it with each run of digits as one; kept once it was asked for.
  std::uint32_t key(std::uint32_t record, std::size_t column, bool by_shape) const {
    std::vector<std::uint32_t>& keys = keys_[by_shape];
    if (keys.empty()) keys.resize(values_.size(), no_key);
    std::uint32_t& key = keys[first_[record] + column];
    if (key == no_key) key = key_of(value(record, column), by_shape);
    return key;
  }
  static std::uint32_t key_of(std::string_view value, bool by_shape) {
    const std::uint64_t hash = by_shape ? shape_key(value) : hash_bytes(value);
    return static_cast<std::uint32_t>(hash ^ hash >> 32);
  }

 private:
  static constexpr std::uint32_t no_key = UINT32_MAX;
  struct Part {  // of a record, in bytes
    std::uint32_t begin = 0;
    std::uint32_t bytes = 0;
  };

  std::span<const std::string_view> records_;
  std::vector<std::uint32_t> first_;  // of each record: where its values begin
  std::vector<Part> values_;
  mutable std::vector<std::uint32_t> keys_[2];  // of the values, by shape or not
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
  // By what a column can part records: its value, or the value with each run of digits as one.
  std::uint32_t key(std::uint32_t record, std::size_t column, bool by_shape) const {
    return is_rest(column) ? Grid::key_of(value(record, column), by_shape)
                           : grid->key(record, column, by_shape);
  }

 private:
  bool is_rest(std::size_t column) const { return aligned && column + 1 == count; }
};

}  // namespace tare::compact
