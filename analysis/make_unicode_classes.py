#!/usr/bin/env python3
"""Prints analysis/unicode_classes.cpp: the classes of characters that the o200k pattern tells apart.

    python3 analysis/make_unicode_classes.py > analysis/unicode_classes.cpp

The classes are those of the Unicode version of Python's unicodedata, or of the module unicodedata2 where it is
installed (pip install unicodedata2==16.0.0): tiktoken 0.14.0, which the counts are held against, has Unicode 16.0.
"""

import sys
import textwrap

try:
    import unicodedata2 as unicodedata
except ImportError:
    import unicodedata

CLASSES = {
    "Lu": "upper", "Lt": "upper", "Ll": "lower", "Lm": "letter", "Lo": "letter",
    "Mn": "mark", "Mc": "mark", "Me": "mark", "Nd": "number", "Nl": "number", "No": "number",
}
# The property White_Space, which unicodedata does not have; line ends apart. Unchanged since Unicode 6.3.
BLANKS = {0x09, 0x0B, 0x0C, 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000}
LETTERS = {"upper": "U", "lower": "L", "letter": "O", "mark": "M", "number": "N", "blank": "B", "line_end": "E", "other": "X"}


def class_of(code):
    if code in (0x0A, 0x0D):
        return "line_end"
    if code in BLANKS:
        return "blank"
    return CLASSES.get(unicodedata.category(chr(code)), "other")


def ranges():
    """(first code point, class) of each run of equal classes."""
    last = None
    for code in range(sys.maxunicode + 1):
        kind = class_of(code)
        if kind != last:
            yield code, kind
        last = kind


found = list(ranges())
body = textwrap.fill(" ".join(f"{{{code:#x},{LETTERS[kind]}}}," for code, kind in found), 116, break_on_hyphens=False)
names = "\n".join(f"constexpr auto {short} = CharClass::{name};" for name, short in LETTERS.items())
print(f"""\
// Made by analysis/make_unicode_classes.py from Unicode {unicodedata.unidata_version}; do not edit.
// clang-format off
#include "analysis/unicode_classes.h"

#include <algorithm>
#include <array>

namespace tare::analysis {{
namespace {{

{names}

struct Range {{
  char32_t first;  // the range ends before the next one's first
  CharClass kind;
}};

constexpr std::array<Range, {len(found)}> ranges{{{{
{body}
}}}};

}}  // namespace

CharClass class_of(char32_t code) {{
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), code,
                                      [](char32_t c, const Range& range) {{ return c < range.first; }});
  return (after - 1)->kind;
}}

}}  // namespace tare::analysis""")
