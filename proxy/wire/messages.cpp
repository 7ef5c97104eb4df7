#include "proxy/wire/messages.h"

#include "proxy/wire/json_walk.h"
#include "proxy/wire/tool_texts.h"

namespace tare::wire {
namespace {

bool read_block(const JsonWalk& walk, JsonWalk::Object& block, ToolTraffic& traffic) {
  StringMember type;
  StringMember id;
  StringMember name;
  StringMember use_id;
  Span input;
  ToolTexts content;
  const bool read = walk.each_member(block, [&](JsonWalk::Key key, JsonWalk::Value& value) {
    if (key == "content") return content.take(walk, value);
    if (key == "input") return walk.object(value, input);
    if (key == "type") type.take(walk, value);
    if (key == "id") id.take(walk, value);
    if (key == "name") name.take(walk, value);
    if (key == "tool_use_id") use_id.take(walk, value);
    return true;
  });
  if (type.is(walk, "\"tool_use\"") || type.is(walk, "\"mcp_tool_use\"")) {
    traffic.calls.push_back(
        {.id = id.span(), .name = name.span(), .format_name = {}, .arguments = input});
  }
  if (type.is(walk, "\"tool_result\"") || type.is(walk, "\"mcp_tool_result\"")) {
    content.add_to(traffic, use_id.span(), ToolTexts::Lists::parts);
  }
  return read;
}

}  // namespace

bool MessagesFormat::takes(std::string_view path) const {
  return path.ends_with("/messages");
}

bool MessagesFormat::locate(std::string_view body, ToolTraffic& traffic) const {
  const auto take_message = [&](const JsonWalk& walk, JsonWalk::Object& message) {
    const std::size_t outputs_before = traffic.outputs.size();
    int contents = 0;
    const bool read = walk.each_member(message, [&](JsonWalk::Key key, JsonWalk::Value& value) {
      if (!(key == "content")) return true;
      ++contents;
      return walk.each_object(
          value, [&](JsonWalk::Object& block) { return read_block(walk, block, traffic); });
    });
    // What a message means whose content stands twice is not known.
    if (contents > 1) traffic.outputs.resize(outputs_before);
    return read;
  };
  const auto take_member = [&](const JsonWalk&, JsonWalk::Key key, JsonWalk::Value&) {
    traffic.may_be_cut |= key == "context_management";
  };
  return walk_list(body, "messages", take_message, take_member);
}

}  // namespace tare::wire
