// The upstream's URL as the operator gives it.
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
};

// Accepts http://host[:port][/prefix]. Everything else is a usage error that says what was
// expected.
Result<UpstreamUrl> parse_upstream_url(std::string_view url);

struct ListenAddress {
  std::string address;  // "127.0.0.1", "::1"
  std::uint16_t port = 0;
  bool loopback = true;
};

// Accepts ADDRESS:PORT, also localhost:PORT; port 0 asks the system for one. `option` names where
// it comes from.
Result<ListenAddress> parse_listen_address(std::string_view text, std::string_view option);

}  // namespace tare::server
