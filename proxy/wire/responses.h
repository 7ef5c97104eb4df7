// Requests of the Responses API: what is in input[].
//
// Outputs: function_call_output, custom_tool_call_output, local_shell_call_output and
// apply_patch_call_output (`output` a string or a list of text parts), shell_call_output (a list of
// stdout and stderr), mcp_call (which is its own call). Calls: function_call, custom_tool_call,
// local_shell_call, shell_call, apply_patch_call.
//
// Only the endpoint that makes a response is taken (.../responses). Those below it are not:
// /responses/compact hands items back to the client, and a count of input tokens is of what the
// client wrote.
#pragma once

#include "proxy/wire/format.h"

namespace tare::wire {

class ResponsesFormat final : public Format {
 public:
  std::string_view name() const override { return "responses"; }
  bool takes(std::string_view path) const override;
  bool locate(std::string_view body, ToolTraffic& traffic) const override;
};

}  // namespace tare::wire
