// The request bodies of the three APIs that a coding agent's tool outputs travel in. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "common/error.h"

namespace tare::harness {

enum class Route : std::uint8_t { responses, chat, messages };
std::string_view name_of(Route route);  // as a manifest's `routes` has them
Result<Route> route_from(std::string_view name);

// Which API a path belongs to, by its end: .../chat/completions, .../messages, any other.
Route route_of_path(std::string_view path);

struct ToolCall {
  std::string id;
  std::string tool;
  std::string arguments;  // JSON
  std::string output;
};

// A user's question and what came of it so far, compact JSON; what is not UTF-8 in an output
// becomes U+FFFD.
std::string request_body(Route route, std::string_view question, std::span<const ToolCall> calls);

}  // namespace tare::harness
