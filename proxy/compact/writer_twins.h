// Records that differ in nothing but digits: what one costs, where its values stand and whether it
// is an alert holds for all of them. In logs and rows most have such a twin.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

namespace tare::compact {

// True when the texts have the same bytes but for digits, which stand in the same places.
bool are_twins(std::string_view a, std::string_view b);

// For each record one before it that is its twin and has none itself, or itself when none is found:
// of those whose lengths have the same remainder, only one of each of the two kinds
// seen last is looked at. Once `stop` is requested, the others have none.
std::vector<std::uint32_t> find_twins(std::span<const std::string_view> records,
                                      const std::stop_token& stop);

}  // namespace tare::compact
