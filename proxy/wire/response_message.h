// Messages of the Responses API over WebSocket.
#pragma once

#include <string_view>

namespace tare::wire {

// Whether a client's message asks for a response: such a message is the body of a Responses request
// with a type beside it.
bool is_response_create(std::string_view message);

}  // namespace tare::wire
