// The classes of characters that the o200k pattern tells apart. The table behind them is made by
// make_unicode_classes.py. Pure.
#pragma once

#include <cstdint>

namespace tare::analysis {

// One bit each, so that a set of classes is a mask.
enum class CharClass : std::uint8_t {
  upper = 1,      // Lu, Lt
  lower = 2,      // Ll
  letter = 4,     // Lm, Lo: neither case
  mark = 8,       // Mn, Mc, Me
  number = 16,    // Nd, Nl, No
  blank = 32,     // White_Space but line ends
  line_end = 64,  // LF, CR
  other = 128,
};

CharClass class_of(char32_t code);

}  // namespace tare::analysis
