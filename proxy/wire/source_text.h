// Whether a text is source code: what an agent reads in order to edit it, where each blank counts.
//
// A guess from the shape of its first lines, the same for the same text. Line numbers in front, as
// tools print them, are looked through. Not source: logs, rows of a search (path:12:), JSON and
// other data, listings, prose. tests/golden/source_texts_test.cpp has the table of examples.
#pragma once

#include <string_view>

namespace tare::wire {

bool is_source(std::string_view text);

}  // namespace tare::wire
