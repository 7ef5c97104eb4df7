// The cuts that o200k_base makes before any bytes are merged: the pattern of its tokenizer,
//
//   [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//   [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//   \p{N}{1,3}
//    ?[^\s\p{L}\p{N}]+[\r\n/]*
//   \s*[\r\n]+
//   \s+(?!\S)
//   \s+
//
// the first alternative that matches, each with a backtracking engine's choices. Scanned by hand,
// in time linear in the text: no run is read more than a few times. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace tare::analysis {

// Where the piece that begins at `at`, which must be inside the text, ends. The text must be
// well-formed UTF-8 (utf8.h).
std::size_t end_of_piece(std::string_view text, std::size_t at);

}  // namespace tare::analysis
