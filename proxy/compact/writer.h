// The writer of the compact form, without the checks of compact(): whether the form is worth it and
// expands to the text is for the caller to see.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "proxy/compact/compact.h"
#include "proxy/compact/cost.h"

namespace tare::compact {

struct Form {
  std::string text;
  Cost cost = 0;
};

// The cheapest form found of a text whose estimated cost is `text_cost`; nothing when no mark is
// free for one. Pure; its work is bounded by the length of the text.
std::optional<Form> write_form(std::string_view text, Cost text_cost, const Options& options);

}  // namespace tare::compact
