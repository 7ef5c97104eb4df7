// What a text costs a model, without a vocabulary.
//
// Estimates o200k tokens in one pass: words, digits in threes, runs of punctuation, blanks,
// non-ASCII bytes (mean error about 4 % on tool outputs). Whole numbers only, so that a choice
// between two forms is the same on every machine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stop_token>
#include <string_view>

namespace tare::compact {

using Cost = std::int64_t;  // thousandths of a token
inline constexpr Cost token = 1000;

// What one of many lines costs; what is more counts as the most. What it is weighed against, a
// template or a row, is then bounded too: the same text must not cost more there.
using LineCost = std::uint32_t;
inline constexpr Cost most_for_line = std::numeric_limits<LineCost>::max();
inline LineCost line_cost(Cost cost) {
  return static_cast<LineCost>(std::min(cost, most_for_line));
}

Cost estimate(std::string_view text);
// The same for a text of any length, which is estimated in pieces; of no meaning once `stop` is
// requested.
Cost estimate(std::string_view text, const std::stop_token& stop);

// The same to a few percent, from stretches of a long text: for figures that nothing is decided by.
Cost estimate_from_sample(std::string_view text);

}  // namespace tare::compact
