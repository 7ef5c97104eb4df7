// "host[:port]" as it stands in URLs, Host and Origin. Pure functions; may be called from several
// threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tare::server {

struct HostPort {
  std::string_view host;                 // without brackets
  std::optional<std::string_view> port;  // as written; may be anything
  bool bracketed = false;
};

// "host", "host:port", "[v6]" or "[v6]:port"; nothing when it is none of these.
std::optional<HostPort> split_host_port(std::string_view text);

std::optional<std::uint16_t> parse_port(std::string_view text);

// A name or address of this machine's own loopback: localhost, 127.0.0.0/8, [::1].
bool is_loopback(const HostPort& place);

}  // namespace tare::server
