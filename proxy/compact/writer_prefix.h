// Stretches of neighbouring records that begin alike.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

namespace tare::compact {

struct PrefixRun {
  std::uint32_t first = 0;
  std::uint32_t last = 0;    // inclusive
  std::uint32_t prefix = 0;  // bytes in common
};

// The disjoint runs that save most, by record; records in `skip` end a run. Linear in the text.
std::vector<PrefixRun> find_prefix_runs(std::span<const std::string_view> records,
                                        const std::vector<bool>& skip, const std::stop_token& stop);

}  // namespace tare::compact
