// The values of split records, and how a group of records is to be seen as columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "proxy/compact/chars.h"
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
    const std::uint32_t begin = first_[record];
    const std::uint32_t end = begin + count(record);
    first_.push_back(static_cast<std::uint32_t>(values_.size()));
    for (std::uint32_t i = begin; i < end; ++i) values_.push_back(values_[i]);
  }

  // There are no more records.
  void finish() { values_.shrink_to_fit(); }
  // Until they are asked for again.
  void forget_keys() {
    for (auto& keys : keys_) keys = std::vector<std::uint32_t>();
  }

  std::string_view record(std::uint32_t record) const { return records_[record]; }
  std::uint32_t count(std::uint32_t record) const {
    const std::size_t end = record + 1 < first_.size() ? first_[record + 1] : values_.size();
    return static_cast<std::uint32_t>(end) - first_[record];
  }
  std::string_view value(std::uint32_t record, std::size_t column) const {
    return values_[first_[record] + column].in(records_[record]);
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
  std::span<const std::string_view> records_;
  std::vector<std::uint32_t> first_;  // of each record: where its values begin
  Parts values_;
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
