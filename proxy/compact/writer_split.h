// Ways to see a line as values between fixed text.
//
// Lines that may share a template have the same key. To add a way: write a Splitter and add it to
// splitters() in writer_split.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tare::compact {

class Splitter {
 public:
  Splitter() = default;
  Splitter(const Splitter&) = delete;
  Splitter& operator=(const Splitter&) = delete;
  virtual ~Splitter() = default;

  virtual bool accepts(std::string_view line) const = 0;
  // Appends the line's values (views into it, in order) and returns a hash of all text between
  // them. One digit is as good as another to it.
  virtual std::uint64_t split(std::string_view line,
                              std::vector<std::string_view>& values) const = 0;
};

// Whether no digit of the line stands outside these values of it: lines that differ from it in
// digits only then have the same hash, and their values in the same places.
bool hold_all_digits(std::span<const std::string_view> values, std::string_view line);

// In order of preference: a line is split by the first that accepts it.
std::span<const Splitter* const> splitters();

// Blank-separated fields, up to max_fields a line: for lines that agree in nothing but the order of
// their columns.
inline constexpr std::size_t max_fields = 11;
const Splitter& fields();

}  // namespace tare::compact
