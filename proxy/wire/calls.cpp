#include "proxy/wire/calls.h"

namespace tare::wire {

const ToolCall* Calls::of(const ToolOutput& output) {
  for (; taken_ < output.calls_before; ++taken_) {
    const ToolCall& call = traffic_.calls[taken_];
    if (!call.id.empty()) by_id_[call.id.of(body_)] = &call;
  }
  if (output.call_id.empty()) return nullptr;
  const auto found = by_id_.find(output.call_id.of(body_));
  return found == by_id_.end() ? nullptr : found->second;
}

}  // namespace tare::wire
