// Rules that give every value of a column from its line number, so that the values need not be
// written.
//
// To add one: write a Law, add it to laws() in writer_law.cpp, and give the reader its slot.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

// What a slot that a law wrote (with ",9" behind it: right-aligned) gives for each line.
class LawSlot {
 public:
  // `slot` must outlive it. Nothing when it is not spelled as a law here spells it.
  static std::optional<LawSlot> read(std::string_view slot);

  void append(std::string& out, std::uint32_t number) const;

 private:
  std::int64_t factor_ = 1;
  std::int64_t offset_ = 0;
  std::size_t zeros_ = 0;
  std::size_t width_ = 0;
  std::vector<std::string_view> by_rest_;  // not empty: instead of a number
};

}  // namespace tare::compact
