// Responses that the proxy itself gives, in the shape of the API's errors, so that clients show
// them as they show others.
#pragma once

#include <string>
#include <string_view>

namespace tare::server {

struct OwnReply {
  unsigned status = 502;
  std::string_view type;  // "upstream_error", "invalid_request_error"
  std::string_view code;  // "upstream_unreachable", ...
  std::string message;    // no header or body content of the client's: it may hold credentials
};

// The type of an error that lies with the client, as the APIs name it.
std::string_view error_type(unsigned status);

// `body`: false in answer to HEAD.
std::string write_reply(const OwnReply& reply, bool close, bool body);

}  // namespace tare::server
