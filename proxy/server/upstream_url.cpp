#include "proxy/server/upstream_url.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>

#include "proxy/server/host_port.h"

namespace tare::server {

namespace {

bool is_host_name(std::string_view host) {
  return std::all_of(host.begin(), host.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
  });
}

bool is_ipv6(const std::string& host) {
  in6_addr address;
  return inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

bool is_ipv4(const std::string& host) {
  in_addr address;
  return inet_pton(AF_INET, host.c_str(), &address) == 1;
}

bool is_target_path(std::string_view path) {
  return path.starts_with('/') && !path.starts_with("//") &&
         std::all_of(path.begin(), path.end(),
                     [](char c) { return c > ' ' && c < 0x7f && c != '\\'; });
}

}  // namespace

Result<UpstreamUrl> parse_upstream_url(std::string_view url) {
  // The URL may hold a password where none belongs: it is not repeated in messages.
  constexpr auto remedy = "give --upstream as http://host[:port][/prefix]";
  if (url.starts_with("https://")) {
    return fail(Error::usage("--upstream: https is not supported by this version", remedy));
  }
  constexpr std::string_view scheme = "http://";
  if (!url.starts_with(scheme)) {
    return fail(Error::usage("--upstream: expected a URL that begins with http://", remedy));
  }
  url.remove_prefix(scheme.size());
  if (url.find_first_of("?#") != std::string_view::npos) {
    return fail(Error::usage("--upstream: a query or fragment has no meaning here", remedy));
  }
  const auto slash = url.find('/');
  const std::string_view authority = url.substr(0, slash);
  if (authority.find('@') != std::string_view::npos) {
    return fail(Error::usage("--upstream: a user name or password has no place in the URL",
                             "the client's own Authorization header is forwarded"));
  }
  std::string_view prefix =
      slash == std::string_view::npos ? std::string_view{} : url.substr(slash);
  while (prefix.ends_with('/')) prefix.remove_suffix(1);
  if (!prefix.empty() && !is_target_path(prefix)) {
    return fail(Error::usage("--upstream: the path holds characters that a path cannot", remedy));
  }
  const auto parts = split_host_port(authority);
  if (!parts) return fail(Error::usage("--upstream: no host", remedy));
  UpstreamUrl result{std::string(parts->host), 80, {}, std::string(prefix)};
  if (parts->bracketed ? !is_ipv6(result.host) : !is_host_name(result.host)) {
    return fail(Error::usage("--upstream: the host is neither a name nor an address", remedy));
  }
  if (parts->port) {
    const auto port = parse_port(*parts->port);
    if (!port || *port == 0) {
      return fail(Error::usage("--upstream: the port must be a number from 1 to 65535", remedy));
    }
    result.port = *port;
  }
  const std::string host = parts->bracketed ? fmt::format("[{}]", result.host) : result.host;
  result.authority = result.port == 80 ? host : fmt::format("{}:{}", host, result.port);
  return result;
}

Result<ListenAddress> parse_listen_address(std::string_view text, std::string_view option) {
  const auto parts = split_host_port(text);
  const auto port = parts && parts->port ? parse_port(*parts->port) : std::nullopt;
  if (!port) {
    return fail(Error::usage(fmt::format("{}: expected ADDRESS:PORT, found \"{}\"", option, text),
                             fmt::format("for example {} 127.0.0.1:8787", option)));
  }
  const std::string host(parts->host == "localhost" ? "127.0.0.1" : parts->host);
  if (parts->bracketed ? !is_ipv6(host) : !is_ipv4(host)) {
    return fail(Error::usage(fmt::format("{}: \"{}\" is not an address", option, text),
                             "give 127.0.0.1, [::1] or another address of this machine"));
  }
  return ListenAddress{host, *port, is_loopback(*parts)};
}

}  // namespace tare::server
