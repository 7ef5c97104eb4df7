#include "proxy/wire/chat.h"

#include "proxy/wire/json_walk.h"
#include "proxy/wire/tool_texts.h"

namespace tare::wire {
namespace {

// {"name":...,"arguments":...}, or `input` for a custom tool.
struct Function {
  StringMember name;
  StringMember arguments;
};

bool read_function(const JsonWalk& walk, JsonWalk::Value& value, Function& function) {
  return walk.each_member_of(value, [&](JsonWalk::Key key, JsonWalk::Value& member) {
    if (key == "name") function.name.take(walk, member);
    if (key == "arguments" || key == "input") function.arguments.take(walk, member);
    return true;
  });
}

bool read_tool_call(const JsonWalk& walk, JsonWalk::Object& call, ToolTraffic& traffic) {
  StringMember id;
  Function function;
  const bool read = walk.each_member(call, [&](JsonWalk::Key key, JsonWalk::Value& value) {
    if (key == "function" || key == "custom") return read_function(walk, value, function);
    if (key == "id") id.take(walk, value);
    return true;
  });
  traffic.calls.push_back({.id = id.span(),
                           .name = function.name.span(),
                           .format_name = {},
                           .arguments = function.arguments.span()});
  return read;
}

bool read_message(const JsonWalk& walk, JsonWalk::Object& message, ToolTraffic& traffic) {
  StringMember role;
  StringMember call_id;
  StringMember name;
  Function old_call;
  ToolTexts content;
  const bool read = walk.each_member(message, [&](JsonWalk::Key key, JsonWalk::Value& value) {
    if (key == "content") return content.take(walk, value);
    if (key == "function_call") return read_function(walk, value, old_call);
    if (key == "tool_calls") {
      return walk.each_object(
          value, [&](JsonWalk::Object& call) { return read_tool_call(walk, call, traffic); });
    }
    if (key == "role") role.take(walk, value);
    if (key == "tool_call_id") call_id.take(walk, value);
    if (key == "name") name.take(walk, value);
    return true;
  });
  const Span called = old_call.name.span();
  if (!called.empty()) {
    traffic.calls.push_back(
        {.id = called, .name = called, .format_name = {}, .arguments = old_call.arguments.span()});
  }
  if (role.is(walk, "\"tool\"")) content.add_to(traffic, call_id.span(), ToolTexts::Lists::parts);
  if (role.is(walk, "\"function\"")) {
    content.add_to(traffic, name.span(), ToolTexts::Lists::parts, false);
  }
  return read;
}

}  // namespace

bool ChatFormat::takes(std::string_view path) const {
  return path.ends_with("/chat/completions");
}

bool ChatFormat::locate(std::string_view body, ToolTraffic& traffic) const {
  return walk_list(body, "messages", [&](const JsonWalk& walk, JsonWalk::Object& message) {
    return read_message(walk, message, traffic);
  });
}

}  // namespace tare::wire
