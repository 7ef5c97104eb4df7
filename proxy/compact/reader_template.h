// Templates: literal text with slots, read once and then written for each line they stand for.
//
// A Template belongs to one reading of one form, into whose text its views point.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "common/error.h"
#include "proxy/compact/reader_text.h"

namespace tare::compact::reader {

// Factors and line numbers have at most 18 digits and offsets at most 36, so no sum overflows this.
__extension__ typedef __int128 Int128;

struct Literal {
  std::string_view text;
};
// {2}, {2,9}, {2,-9}: the second value, right- or left-aligned.
struct ValueSlot {
  std::size_t index = 0;  // from 0
  std::size_t width = 0;
  bool left = false;
};
// {n}, {3n-2:04,9}: factor * n + offset, in at least `zeros` characters, right-aligned to `width`.
struct NumberSlot {
  std::int64_t factor = 1;
  Int128 offset = 0;
  std::size_t zeros = 0;
  std::size_t width = 0;
};
// {n%2:0=x,1=y}
struct TableSlot {
  std::vector<std::string_view> entries;  // by n modulo their number
};
// {@9+}: blanks up to a column, at least as many as there are plus signs.
struct TabSlot {
  std::size_t column = 0;
  std::size_t least = 0;
};
using Piece = std::variant<Literal, ValueSlot, NumberSlot, TableSlot, TabSlot>;

class Template {
 public:
  Template(std::size_t form_line, std::string_view separator, std::size_t listed_slots)
      : form_line_(form_line), separator_(separator), listed_slots_(listed_slots) {}

  // Adds the next line of the template. `open` and `close` are the form's slot brackets.
  Result<void> add_line(std::string_view text, std::string_view open, std::string_view close,
                        std::size_t form_line);
  // Once all lines are there: the parameter list must name as many slots as they hold.
  Result<void> check_parameters() const;

  std::size_t slots() const { return slots_; }
  std::size_t line_count() const { return lines_.size(); }
  // A measure of the work that one instance takes.
  std::size_t pieces() const { return pieces_; }

  // Cuts a row into values, which replace those of the instance before; `"` repeats one of these.
  Result<void> read_row(std::string_view row, std::size_t form_line);
  // Writes one instance with the values read last, its first line being line `n` of the text.
  void write(std::uint64_t n, Output& output) const;

 private:
  std::size_t form_line_;
  std::string_view separator_;
  std::size_t listed_slots_;
  std::vector<std::vector<Piece>> lines_;
  std::size_t slots_ = 0;
  std::size_t pieces_ = 0;
  std::vector<std::string_view> values_;
};

}  // namespace tare::compact::reader
