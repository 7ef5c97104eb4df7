// What a format finds in a body, in words that a test can compare.
#pragma once

#include <string>
#include <vector>

#include "proxy/wire/format.h"

namespace tare::test {

using Found = std::vector<std::string>;

// "call ID TOOL ARGUMENTS" and "ID: TEXT" as they stand in the body; " (part)" when a text is not
// the only one of its call, " (no id)" when its id names the tool. {"unread"} for a body not read.
inline Found found(const wire::Format& format, const std::string& body) {
  wire::ToolTraffic traffic;
  if (!format.locate(body, traffic)) return {"unread"};
  Found result;
  std::size_t calls = 0;
  const auto add_calls = [&](std::size_t end) {
    for (; calls < end; ++calls) {
      const auto& call = traffic.calls[calls];
      const auto tool = call.name.empty() ? call.format_name : call.name.of(body);
      result.push_back("call " + std::string(call.id.of(body)) + " " + std::string(tool) + " " +
                       std::string(call.arguments.of(body)));
    }
  };
  for (const auto& output : traffic.outputs) {
    add_calls(output.calls_before);
    result.push_back(std::string(output.call_id.of(body)) + ": " +
                     std::string(output.text.of(body)) + (output.is_whole ? "" : " (part)") +
                     (output.has_own_id ? "" : " (no id)"));
  }
  add_calls(traffic.calls.size());
  return result;
}

}  // namespace tare::test
