// Exact repeats: stretches of records that say the records before them once more.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "proxy/compact/cost.h"

namespace tare::compact {

struct Repeat {
  std::uint32_t record = 0;  // the first repeated one
  std::uint32_t period = 0;  // records that are repeated
  std::uint32_t times = 0;
};

// Disjoint repeats of periods up to 12 that are worth their mark, by record. Linear in the records.
std::vector<Repeat> find_repeats(std::span<const std::string_view> records,
                                 std::span<const Cost> costs);

}  // namespace tare::compact
