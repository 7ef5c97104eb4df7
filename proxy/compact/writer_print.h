// Writes a plan down in the grammar of docs/compact-form.md: chooses marks that occur nowhere they
// would be misread, and a legend of the features used.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "proxy/compact/writer_plan.h"
#include "proxy/compact/writer_records.h"

namespace tare::compact {

// The form of a text that ends with a line end or not; nothing when no mark or no bracket is free.
// `earlier` is what the plan's references are to.
struct PrintOptions {
  bool ends_line = false;  // the text does
  bool ditto = false;      // values like the one above become a mark
  const Earlier* earlier = nullptr;
  std::stop_token stop = {};
};
std::optional<std::string> print(const Plan& plan, const Records& records,
                                 const PrintOptions& options);

// The form of a text that is all of an earlier output.
std::string print_reference(const Reference& whole, const Earlier& earlier, bool ends_line);

// The form that only repeats the lines of `text`: for a text that would itself be taken for a form.
std::string print_verbatim(std::string_view text);

}  // namespace tare::compact
