#include "common/whole_number.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <limits>

namespace tare {

std::string fault_of_whole_number(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return {};
  return fmt::format("expected a whole number from 0 to {}, found \"{}\"",
                     std::numeric_limits<std::uint64_t>::max(), text);
}

}  // namespace tare
