// Whether a tool call asks for a file as it is, going by the names that agents give such tools and
// by the shell commands that show files.
#pragma once

#include <cstddef>
#include <string_view>

namespace tare::wire {

// Longer arguments are not those of a file read.
inline constexpr std::size_t max_read_arguments_bytes = std::size_t{4} << 10;

// `arguments` is JSON, or free text for tools that take it. A call that is wrapped in another one
// ({"tool_uses":[{"recipient_name":...,"parameters":...}]}) counts as what is in it.
bool reads_file(std::string_view tool, std::string_view arguments);

}  // namespace tare::wire
