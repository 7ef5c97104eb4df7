// What the scripted upstream answers. Pure functions; upstream.cpp is the server around them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/request_body.h"

namespace tare::harness {

// Whether a request body asks for server-sent events: a member "stream" with the value true. The
// text is searched, not parsed: inside a JSON string the quotes of such a member are escaped.
bool asks_for_stream(std::string_view body);

// A finished answer in the API's shape; the same number of bytes for every id. Its own id holds
// "resp_" and twelve digits, whatever the API.
std::string scripted_reply(std::int64_t upstream_request, Route route = Route::responses);

// The same answer as server-sent events, one string an event.
std::vector<std::string> scripted_events(std::int64_t upstream_request,
                                         Route route = Route::responses);

}  // namespace tare::harness
