// Templates found on some records, held against others: one pass over a record, no fitting.
//
// A match writes exactly the record, and is as narrow as what the template was found on: an open
// slot takes only bytes of the kinds that its values had, and where one value (or one shape of
// value) filled three quarters of it, only values (or shapes) that were there; so a rare record
// stays as it is. A Matcher refers to its template and belongs to one thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/compact/writer_law.h"
#include "proxy/compact/writer_template.h"

namespace tare::compact {

// The eight bytes at each end of a line; shorter lines are filled up with zeros.
struct LineEnds {
  std::uint64_t head = 0;
  std::uint64_t tail = 0;

  explicit LineEnds(std::string_view line);
};

class Matcher {
 public:
  // Nothing when the template is of a kind that cannot be told from its lines.
  static std::optional<Matcher> make(const Template& shape);

  // True when the records from `record` on, as many as the template has lines, are an instance;
  // `number` is the line number of the first. Then values() holds those of its open slots.
  bool match(std::span<const std::string_view> records, std::size_t record, std::uint32_t number);
  std::span<const std::string_view> values() const { return values_; }

  // False when the record cannot begin an instance; much faster than match().
  bool may_match(const LineEnds& ends) const {
    return (ends.head & head_mask_) == head_ && (ends.tail & tail_mask_) == tail_;
  }

  // Bytes of text that every instance has.
  std::size_t fixed_bytes() const { return fixed_bytes_; }

 private:
  struct Piece {
    Hole::Kind kind = Hole::Kind::fixed;
    std::string_view text;  // fixed
    std::uint32_t slot = 0;
    std::uint32_t width = 0;  // open, law
    std::uint32_t column = 0;
    std::uint32_t least = 0;  // tab: blanks
    LawSlot law;
  };
  struct Line {
    std::vector<Piece> pieces;
    std::size_t fixed_bytes = 0;
  };
  struct Slot {
    enum class Known : std::uint8_t { any, values, shapes };
    Known known = Known::any;
    bool any_byte = false;
    std::vector<std::uint64_t> keys;  // sorted: of the values or shapes that may be there
    std::array<bool, 256> bytes{};
  };

  explicit Matcher(const Template& shape) : shape_(&shape) {}
  bool add_line(const TemplateLine& line);
  void add_fixed(Line& line, std::string_view text);
  bool add_hole(Line& line, const Hole& hole);
  void learn_ends();
  void learn_slot(std::size_t slot);
  bool match_line(const Line& line, std::string_view text, std::uint32_t number);
  bool match_open(const Line& line, std::size_t piece, std::string_view text, std::size_t& at);
  bool take_value(const Piece& piece, std::string_view value);
  bool fits(std::uint32_t slot, std::string_view value) const;

  const Template* shape_;
  std::vector<Line> lines_;
  std::vector<Slot> slots_;
  std::vector<std::string_view> values_;
  std::vector<bool> taken_;  // slots of this match that have a value
  std::string text_;
  std::size_t fixed_bytes_ = 0;
  // Of the first line: what its ends have in common in all instances.
  std::uint64_t head_ = 0;
  std::uint64_t head_mask_ = 0;
  std::uint64_t tail_ = 0;
  std::uint64_t tail_mask_ = 0;
};

}  // namespace tare::compact
