#include "proxy/wire/format.h"

#include <array>

#include "proxy/wire/responses.h"

namespace tare::wire {

std::span<const Format* const> formats() {
  static const ResponsesFormat responses;
  static const std::array<const Format*, 1> all = {&responses};
  return all;
}

const Format* format_of(std::string_view target) {
  const std::string_view path = target.substr(0, target.find_first_of("?#"));
  for (const Format* format : formats()) {
    if (format->takes(path)) return format;
  }
  return nullptr;
}

}  // namespace tare::wire
