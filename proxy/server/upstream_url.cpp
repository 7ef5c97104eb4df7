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

Result<UpstreamUrl> parse_upstream_url(std::string_view url, std::string_view option) {
  const auto wrong = [&](std::string_view what) {
    // The URL may hold a password where none belongs: it is not repeated in messages.
    return fail(Error::usage(fmt::format("{}: {}", option, what),
                             fmt::format("give {} as https://host[:port][/prefix]", option)));
  };
  UpstreamUrl result;
  result.tls = url.starts_with("https://");
  const std::string_view scheme = result.tls ? "https://" : "http://";
  if (!url.starts_with(scheme)) {
    return wrong("expected a URL that begins with https:// or http://");
  }
  url.remove_prefix(scheme.size());
  if (url.find_first_of("?#") != std::string_view::npos) {
    return wrong("a query or fragment has no meaning here");
  }
  const auto slash = url.find('/');
  const std::string_view authority = url.substr(0, slash);
  if (authority.find('@') != std::string_view::npos) {
    return wrong("a user name or password has no place in the URL: the client's own is forwarded");
  }
  std::string_view prefix =
      slash == std::string_view::npos ? std::string_view{} : url.substr(slash);
  while (prefix.ends_with('/')) prefix.remove_suffix(1);
  if (!prefix.empty() && !is_target_path(prefix)) {
    return wrong("the path holds characters that a path cannot");
  }
  result.prefix = prefix;
  const auto parts = split_host_port(authority);
  if (!parts) return wrong("no host");
  result.host = parts->host;
  if (parts->bracketed ? !is_ipv6(result.host) : !is_host_name(result.host)) {
    return wrong("the host is neither a name nor an address");
  }
  const std::uint16_t usual_port = result.tls ? 443 : 80;
  result.port = usual_port;
  if (parts->port) {
    const auto port = parse_port(*parts->port);
    if (!port || *port == 0) return wrong("the port must be a number from 1 to 65535");
    result.port = *port;
  }
  const std::string host = parts->bracketed ? fmt::format("[{}]", result.host) : result.host;
  result.authority = result.port == usual_port ? host : fmt::format("{}:{}", host, result.port);
  return result;
}

Result<Route> parse_route(std::string_view text) {
  const auto equals = text.find("=http");
  const std::string_view prefix = text.substr(0, equals);
  if (equals == std::string_view::npos || !is_target_path(prefix) ||
      prefix.find_first_of("?#=") != std::string_view::npos) {
    return fail(Error::usage("--route: expected /path=URL",
                             "for example --route /v1/messages=https://api.example.com"));
  }
  auto url = parse_upstream_url(text.substr(equals + 1), "--route");
  if (!url) return fail(std::move(url.error()));
  return Route{std::string(prefix.ends_with('/') ? prefix.substr(0, prefix.size() - 1) : prefix),
               std::move(*url)};
}

bool is_below(std::string_view target, std::string_view prefix) {
  if (!target.starts_with(prefix)) return false;
  const std::string_view rest = target.substr(prefix.size());
  return rest.empty() || rest.front() == '/' || rest.front() == '?';
}

Result<ListenAddress> parse_listen_address(std::string_view text, std::string_view option) {
  const auto parts = split_host_port(text);
  const std::string example = fmt::format("for example {} 127.0.0.1:8787", option);
  if (!parts || !parts->port) {
    return fail(Error::usage(fmt::format("{}: expected ADDRESS:PORT, found \"{}\"", option, text),
                             example));
  }
  const auto port = parse_port(*parts->port);
  if (!port) {
    return fail(Error::usage(
        fmt::format("{}: \"{}\": the port must be a number from 0 to 65535", option, text),
        example));
  }
  const std::string host(parts->host == "localhost" ? "127.0.0.1" : parts->host);
  if (parts->bracketed ? !is_ipv6(host) : !is_ipv4(host)) {
    return fail(Error::usage(fmt::format("{}: \"{}\" is not an address", option, text),
                             "give 127.0.0.1, [::1] or another address of this machine"));
  }
  return ListenAddress{host, *port, is_loopback(*parts)};
}

}  // namespace tare::server
