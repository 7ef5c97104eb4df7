// Puts other bytes in the place of some parts of a text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "proxy/wire/format.h"

namespace tare::wire {

struct Change {
  Span span;
  std::string_view bytes;
};

// `changes` from first to last, none in another.
std::string splice(std::string_view text, const std::vector<Change>& changes);

}  // namespace tare::wire
