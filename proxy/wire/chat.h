// Requests of the Chat Completions API: what is in messages[].
//
// Outputs: messages of the role tool, and of the older role function, whose `content` is a string
// or a list of text parts. Calls: tool_calls[] (function and custom) and the older function_call of
// the messages before. A function message names its function and no call: it is joined with the
// last call of that function, and never referred to.
#pragma once

#include "proxy/wire/format.h"

namespace tare::wire {

class ChatFormat final : public Format {
 public:
  std::string_view name() const override { return "chat"; }
  bool takes(std::string_view path) const override;
  bool locate(std::string_view body, ToolTraffic& traffic) const override;
};

}  // namespace tare::wire
