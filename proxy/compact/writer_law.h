// Rules that give every value of a column from its line number, so that the values need not be
// written.
//
// To add one: write a Law, add it to laws() in writer_law.cpp, and give the reader its slot.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tare::compact {

class Law {
 public:
  Law() = default;
  Law(const Law&) = delete;
  Law& operator=(const Law&) = delete;
  virtual ~Law() = default;

  // When the law explains all values exactly, spelled as they are, writes the slot's text (without
  // brackets) and returns true. `numbers` are the line numbers of the values, rising. Linear in the
  // values.
  virtual bool fit(std::span<const std::string_view> values, std::span<const std::uint32_t> numbers,
                   std::string& slot) const = 0;
};

// In order of preference: the writer takes the first that fits.
std::span<const Law* const> laws();

}  // namespace tare::compact
