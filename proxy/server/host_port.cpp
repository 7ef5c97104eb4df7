#include "proxy/server/host_port.h"

#include <arpa/inet.h>

#include <charconv>
#include <string>

#include "proxy/server/message.h"

namespace tare::server {

std::optional<HostPort> split_host_port(std::string_view text) {
  HostPort result;
  std::string_view rest;
  if (text.starts_with('[')) {
    const auto close = text.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    result.host = text.substr(1, close - 1);
    result.bracketed = true;
    rest = text.substr(close + 1);
    if (!rest.empty() && !rest.starts_with(':')) return std::nullopt;
  } else {
    const auto colon = text.find(':');
    result.host = text.substr(0, colon);
    rest = colon == std::string_view::npos ? std::string_view{} : text.substr(colon);
  }
  if (!rest.empty()) result.port = rest.substr(1);
  if (result.host.empty()) return std::nullopt;
  return result;
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return port;
}

bool is_loopback(const HostPort& place) {
  if (place.bracketed) return place.host == "::1";
  if (equal_names(place.host, "localhost")) return true;
  // Longer than any IPv4 address: no copy is made for the look.
  if (place.host.size() > INET_ADDRSTRLEN) return false;
  in_addr v4;
  return inet_pton(AF_INET, std::string(place.host).c_str(), &v4) == 1 &&
         (ntohl(v4.s_addr) >> 24) == 127;
}

}  // namespace tare::server
