// Requests of the Messages API: the blocks in messages[].content[].
//
// Outputs: tool_result and mcp_tool_result, whose `content` is a string or a list with text blocks.
// Calls: tool_use and mcp_tool_use. All else is the client's: cache_control and is_error beside an
// output, images and documents within one, thinking and its signatures, results of tools that the
// upstream runs itself.
//
// Only the endpoint that makes a message is taken (.../messages). /messages/count_tokens is passed
// through: a client holds that count against its own transcript, and a count of what it wrote is
// never too low.
#pragma once

#include "proxy/wire/format.h"

namespace tare::wire {

class MessagesFormat final : public Format {
 public:
  std::string_view name() const override { return "messages"; }
  bool takes(std::string_view path) const override;
  bool locate(std::string_view body, ToolTraffic& traffic) const override;
};

}  // namespace tare::wire
