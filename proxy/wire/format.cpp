#include "proxy/wire/format.h"

#include <array>

#include "proxy/wire/chat.h"
#include "proxy/wire/messages.h"
#include "proxy/wire/responses.h"

namespace tare::wire {

std::span<const Format* const> formats() {
  static const ResponsesFormat responses;
  static const ChatFormat chat;
  static const MessagesFormat messages;
  static const std::array<const Format*, 3> all = {&responses, &chat, &messages};
  return all;
}

const Format* format_of(std::string_view target) {
  const std::string_view path = target.substr(0, target.find_first_of("?#"));
  for (const Format* format : formats()) {
    if (format->takes(path)) return format;
  }
  return nullptr;
}

}  // namespace tare::wire
