#include "proxy/wire/response_message.h"

#include "proxy/wire/json_walk.h"

namespace tare::wire {

bool is_response_create(std::string_view message) {
  constexpr std::string_view type_name = "\"response.create\"";
  if (message.find(type_name) == std::string_view::npos) return false;
  StringMember type;
  bool is_ours = false;
  walk_root(message, [&](const JsonWalk& walk, JsonWalk::Value& root) {
    const bool is_read = walk.each_member_of(root, [&](JsonWalk::Key key, JsonWalk::Value& value) {
      if (key == "type") type.take(walk, value);
      return true;
    });
    is_ours = is_read && type.is(walk, type_name);
    return is_read;
  });
  return is_ours;
}

}  // namespace tare::wire
