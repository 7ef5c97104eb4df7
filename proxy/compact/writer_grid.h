// The values of split records, and how a group of records is to be seen as columns.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "proxy/compact/chars.h"

namespace tare::compact {

// What a splitter found in each record: its values, one behind the other.
struct Grid {
  std::span<const std::string_view> records;
  std::vector<std::string_view> values;
  std::vector<std::uint32_t> first;  // of each record: where its values begin; one more for the end

  std::size_t count(std::uint32_t record) const { return first[record + 1] - first[record]; }
};

// A way to see records as `count` columns.
struct Columns {
  const Grid* grid = nullptr;
  std::uint32_t count = 0;
  bool aligned = false;  // the text between values may differ in its blanks, and the last column
                         // goes to the line's end

  std::string_view value(std::uint32_t record, std::size_t column) const {
    const std::string_view value = grid->values[grid->first[record] + column];
    if (!aligned || column + 1 < count) return value;
    const std::string_view line = grid->records[record];
    return line.substr(static_cast<std::size_t>(value.data() - line.data()));
  }
  // The text in front of a value, back to the value before it or the line's beginning.
  std::string_view gap(std::uint32_t record, std::size_t column) const {
    const std::string_view value = grid->values[grid->first[record] + column];
    const char* begin = grid->records[record].data();
    if (column > 0) {
      const std::string_view before = grid->values[grid->first[record] + column - 1];
      begin = before.data() + before.size();
    }
    return {begin, static_cast<std::size_t>(value.data() - begin)};
  }
};

// By what a column can part records: its value, or the value with each run of digits as one.
inline std::uint64_t value_key(std::string_view value, bool by_shape) {
  return by_shape ? shape_key(value) : hash_bytes(value);
}

}  // namespace tare::compact
