// What the scripted upstream answers. Pure functions; upstream.cpp is the server around them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tare::harness {

// Whether a request body asks for server-sent events: a member "stream" with the value true. The
// text is searched, not parsed: inside a JSON string the quotes of such a member are escaped.
bool asks_for_stream(std::string_view body);

// A finished answer in the Responses shape; the same number of bytes for every id.
std::string scripted_reply(std::int64_t upstream_request);

// The same answer as server-sent events, one string an event.
std::vector<std::string> scripted_events(std::int64_t upstream_request);

}  // namespace tare::harness
