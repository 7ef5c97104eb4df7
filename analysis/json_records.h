// The records of a JSON text: its objects that are elements of an array or stand alone, each with
// what is under it. For asking whether a line, which never stood in the text as it is, says of one
// record what the record says: a row of a table, an object with its keys in another order. Numbers
// count as they are spelled. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace tare::analysis {

// "[307]{id,status}", "[307]{id:int,status:string}:": how many rows, and of what.
struct TableHead {
  std::size_t length = 0;
  std::vector<std::string_view> names;
};
std::optional<TableHead> table_head(std::string_view line);

class JsonRecords {
 public:
  // Of a JSON document, JSON lines, or a document with other lines around it. Nothing: none of
  // these.
  static std::optional<JsonRecords> of(std::string_view text);

  // A line that is JSON: each of its objects has its keys with these values in one record of the
  // text; of each of its lists the values stand under that key somewhere, or their words all in one
  // record (a table's row). Another line: all its words stand in one record, or all are keys or
  // values outside any record. What more than `most_tried` records may hold is taken to be so.
  bool says(std::string_view line) const;

  // A list of the text has as many records, and the names are keys.
  bool heads(const TableHead& head) const;

  static constexpr std::size_t most_tried = 256;

 private:
  friend class RecordReader;
  using Features = std::vector<std::uint64_t>;  // words, or keys with their values
  struct Holder {
    std::uint64_t feature;
    std::uint32_t record;
    auto operator<=>(const Holder&) const = default;
  };

  // The scalars of a list.
  struct Row {
    Features words;
    Features pairs;  // with the list's key
  };

  std::span<const Holder> holders_of(std::uint64_t feature) const;
  bool one_record_holds(const Features& features) const;
  bool holds_words(const Features& words) const;
  bool holds_row(const Row& row) const;
  bool says_words(std::string_view line) const;

  std::uint32_t records_ = 0;
  std::vector<Holder> holders_;               // sorted
  std::unordered_set<std::uint64_t> free_;    // words of keys, and of values outside records
  std::unordered_set<std::uint64_t> listed_;  // key and value, of values in lists of scalars
  std::vector<Row> rows_;                     // of a line that is asked for
  std::unordered_set<std::size_t> lengths_;   // of lists of records
};

}  // namespace tare::analysis
