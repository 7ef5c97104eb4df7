// The writer of the compact form, without the checks of compact(): whether the form is worth it and
// expands to the text is for the caller to see.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/compact/compact.h"
#include "proxy/compact/cost.h"
#include "proxy/compact/writer_account.h"

namespace tare::compact {

struct Form {
  std::string text;
  Cost cost = 0;
  Cost least_text_cost = 0;  // what the original costs at least, by the way
};

// The cheapest form found; nothing when no mark is free for one, or none can be short. Pure; its
// work is bounded by the length of the text. `account`, when it is not null, gets the form's
// pieces. Once `stop` is requested, what was found until then.
std::optional<Form> write_form(std::string_view text, const Options& options,
                               const Earlier* earlier = nullptr,
                               std::vector<Piece>* account = nullptr,
                               const std::stop_token& stop = {});

// The form that is one reference to an earlier output of the same lines, when there is one.
std::optional<Form> write_repeat(std::string_view text, const Earlier& earlier);

}  // namespace tare::compact
