// Where the tool outputs stand in a request body of one of the three APIs (Responses, Chat
// Completions, Messages). A scanner of our own: no code is shared with the proxy, so that a fault
// cannot hide on both sides. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tare::analysis {

// One text of a tool output: the output itself, or one of its parts.
struct ToolOutput {
  std::string pointer;    // JSON pointer of its string
  std::string call_id;    // of the call that it answers; may be empty
  std::size_t begin = 0;  // the place of the string literal, quotes included
  std::size_t end = 0;
  std::string text;
};

// `body` must be JSON; in the order in which they stand. Of equal keys in an object the last one
// counts. Responses: items whose type ends in "_output". Chat: messages of role "tool". Messages:
// blocks of type "tool_result". Each with a string, or a list of parts that hold a text.
std::vector<ToolOutput> find_outputs(std::string_view body);

}  // namespace tare::analysis
