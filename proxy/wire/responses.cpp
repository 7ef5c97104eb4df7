#include "proxy/wire/responses.h"

#include "proxy/wire/json_walk.h"

namespace tare::wire {
namespace {

// Appends the item's output, when it is a tool output. What a member means that stands twice is up
// to whoever reads the item, so such an item is not one of ours.
bool locate_in_item(const JsonWalk& walk, JsonWalk::Object& item, std::vector<Span>& outputs) {
  int types = 0;
  int values = 0;
  bool is_tool_output = false;
  bool is_string = false;
  Span output;
  const bool read = walk.each_member(item, [&](JsonWalk::Key key, JsonWalk::Value& value) {
    if (key == "type") {
      Span type;
      is_tool_output = walk.string(value, type) && walk.text(type) == "\"function_call_output\"";
      ++types;
    } else if (key == "output") {
      is_string = walk.string(value, output);
      ++values;
    }
    return true;
  });
  if (read && types == 1 && values == 1 && is_tool_output && is_string) outputs.push_back(output);
  return read;
}

}  // namespace

bool ResponsesFormat::takes(std::string_view path) const {
  return path.ends_with("/responses");
}

bool ResponsesFormat::locate(std::string_view body, std::vector<Span>& outputs) const {
  return walk_object(body, [&](const JsonWalk& walk, JsonWalk::Object& root) {
    int inputs = 0;
    const bool read = walk.each_member(root, [&](JsonWalk::Key key, JsonWalk::Value& value) {
      if (!(key == "input")) return true;
      ++inputs;
      return walk.each_object(
          value, [&](JsonWalk::Object& item) { return locate_in_item(walk, item, outputs); });
    });
    return read && inputs <= 1;
  });
}

}  // namespace tare::wire
