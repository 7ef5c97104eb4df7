#include "proxy/wire/responses.h"

#include <array>

#include "proxy/wire/json_walk.h"
#include "proxy/wire/tool_texts.h"

namespace tare::wire {
namespace {

// What one item may hold of ours, whatever the order of its members.
struct Item {
  StringMember type;
  StringMember id;
  StringMember call_id;
  StringMember name;
  StringMember text_arguments;
  Span object_arguments;
  ToolTexts output;

  // The id that joins a call with its output.
  Span joining_id() const { return call_id.span().empty() ? id.span() : call_id.span(); }
};

bool read_item(const JsonWalk& walk, JsonWalk::Object& object, Item& item) {
  return walk.each_member(object, [&](JsonWalk::Key key, JsonWalk::Value& value) {
    if (key == "output") return item.output.take(walk, value);
    if (key == "action") return walk.object(value, item.object_arguments);
    if (key == "type") item.type.take(walk, value);
    if (key == "id") item.id.take(walk, value);
    if (key == "call_id") item.call_id.take(walk, value);
    if (key == "name") item.name.take(walk, value);
    if (key == "arguments" || key == "input") item.text_arguments.take(walk, value);
    return true;
  });
}

struct CallType {
  std::string_view type;  // as a JSON string
  std::string_view tool;  // what the format itself names, or nothing
};
constexpr std::array<CallType, 6> call_types = {{{"\"function_call\"", ""},
                                                 {"\"custom_tool_call\"", ""},
                                                 {"\"mcp_call\"", ""},
                                                 {"\"local_shell_call\"", "local_shell"},
                                                 {"\"shell_call\"", "shell"},
                                                 {"\"apply_patch_call\"", "apply_patch"}}};

struct OutputType {
  std::string_view type;
  ToolTexts::Lists lists;
};
constexpr std::array<OutputType, 6> output_types = {
    {{"\"function_call_output\"", ToolTexts::Lists::parts},
     {"\"custom_tool_call_output\"", ToolTexts::Lists::parts},
     {"\"local_shell_call_output\"", ToolTexts::Lists::parts},
     {"\"apply_patch_call_output\"", ToolTexts::Lists::parts},
     {"\"mcp_call\"", ToolTexts::Lists::parts},
     {"\"shell_call_output\"", ToolTexts::Lists::streams}}};

void add_item(const JsonWalk& walk, const Item& item, ToolTraffic& traffic) {
  for (const CallType& call : call_types) {
    if (!item.type.is(walk, call.type)) continue;
    const Span text = item.text_arguments.span();
    traffic.calls.push_back({.id = item.joining_id(),
                             .name = item.name.span(),
                             .format_name = call.tool,
                             .arguments = text.empty() ? item.object_arguments : text});
  }
  for (const OutputType& output : output_types) {
    if (item.type.is(walk, output.type)) {
      item.output.add_to(traffic, item.joining_id(), output.lists);
    }
  }
}

}  // namespace

bool ResponsesFormat::takes(std::string_view path) const {
  return path.ends_with("/responses");
}

bool ResponsesFormat::locate(std::string_view body, ToolTraffic& traffic) const {
  const auto take_item = [&](const JsonWalk& walk, JsonWalk::Object& object) {
    Item item;
    if (!read_item(walk, object, item)) return false;
    add_item(walk, item, traffic);
    return true;
  };
  const auto take_member = [&](const JsonWalk& walk, JsonWalk::Key key, JsonWalk::Value& value) {
    Span text;
    traffic.may_be_cut |=
        key == "context_management" ||
        (key == "truncation" && walk.string(value, text) && walk.text(text) != "\"disabled\"");
  };
  return walk_list(body, "input", take_item, take_member);
}

}  // namespace tare::wire
