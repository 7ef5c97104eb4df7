// A template: what many records have in common, and the values in which they differ.
//
// Each of its lines is told by the record of its first instance, the leader: text outside the holes
// is fixed; in a hole stands the value of an open slot, what a law gives, or the blanks up to a tab
// stop. Positions are bytes of the leader. Views point into the records.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/compact/cost.h"
#include "proxy/compact/writer_part.h"

namespace tare::compact {

struct Hole {
  enum class Kind : std::uint8_t {
    open,   // the value of an open slot
    law,    // what a law gives
    tab,    // blanks up to a column
    fixed,  // a text that is not the leader's
  };

  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  Kind kind = Kind::open;
  std::uint32_t slot = 0;   // open: from 0
  std::uint32_t width = 0;  // open: its value is right-aligned to it
  std::string text;         // law, tab: what the brackets hold, "n+1" or "@9+"; fixed: the text
};

struct TemplateLine {
  std::string_view leader;
  std::vector<Hole> holes;
};

struct Template {
  std::vector<TemplateLine> lines;
  std::span<const std::string_view> records;  // all, for rows and values to be places in them
  std::vector<std::uint32_t> rows;            // its instances by their first records, rising
  std::uint32_t slots = 0;                    // open slots
  Parts values;                          // of the open slots: all rows of slot 0, then slot 1, ...
  std::vector<std::uint8_t> slot_lines;  // in which line each slot's values stand; may be empty
                                         // with one line
  std::string_view separator;            // between the values of a row, with two slots or more
  Cost gain = 0;                         // estimated tokens saved

  std::size_t span() const { return lines.size(); }  // records an instance stands for
  std::size_t line_of(std::size_t slot) const { return slot_lines.empty() ? 0 : slot_lines[slot]; }
  std::string_view value(std::size_t slot, std::size_t row) const {
    return values[slot * rows.size() + row].in(records[rows[row] + line_of(slot)]);
  }
};

// The brackets around a slot.
struct Brackets {
  std::string_view open;
  std::string_view close;
};

// Appends one line of a template, slots and all.
void append_line(std::string& out, const TemplateLine& line, const Brackets& brackets);
// Appends the values of one row.
void append_row(std::string& out, const Template& shape, std::size_t row);
// Appends "(1 2)", with the separator as it is between values; nothing for one slot or none.
void append_parameters(std::string& out, const Template& shape);
// True when `text` stands in the fixed text.
bool literal_contains(const Template& shape, std::string_view text);

// True when `value` may stand in a row between separators, as the last value of it or before.
bool may_stand(std::string_view value, std::string_view separator, bool last);

// The first separator that occurs in no value but the last; a view without data when none fits.
// With one slot or none it is empty.
std::string_view choose_separator(const Template& shape);

}  // namespace tare::compact
