// Upstreams and listeners as the operator gives them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/error.h"

namespace tare::server {

struct UpstreamUrl {
  std::string host;  // a name or an address, without brackets
  std::uint16_t port = 80;
  std::string authority;  // host and port as Host says them: the port is left out when it is the
                          // scheme's own
  std::string prefix;     // put before each target: "" or "/path" without a slash at its end
  bool tls = false;
};

// Accepts https://host[:port][/prefix], and the same with http. Everything else is a usage error
// that says what was expected; `option` names where the URL comes from.
Result<UpstreamUrl> parse_upstream_url(std::string_view url, std::string_view option);

// Where requests below a path go.
struct Route {
  std::string prefix;  // "/v1/messages": without a slash at its end; "" is every path
  UpstreamUrl upstream;
};

// Accepts /path=URL. The target is sent on whole, behind the prefix of the URL. Error: usage.
Result<Route> parse_route(std::string_view text);

// Whether a target (path and query) is the path `prefix` or below it, whole segments only.
bool is_below(std::string_view target, std::string_view prefix);

struct ListenAddress {
  std::string address;  // "127.0.0.1", "::1"
  std::uint16_t port = 0;
  bool loopback = true;
};

// Accepts ADDRESS:PORT, also localhost:PORT; port 0 asks the system for one. `option` names where
// it comes from.
Result<ListenAddress> parse_listen_address(std::string_view text, std::string_view option);

}  // namespace tare::server
