#include "proxy/server/access.h"

#include <fmt/format.h>
#include <openssl/crypto.h>

#include <algorithm>

#include "proxy/server/host_port.h"

namespace tare::server {

namespace {

constexpr std::size_t least_token_bytes = 16;

// The credentials of a scheme, or nothing when the field has another one.
std::optional<std::string_view> bearer_of(std::string_view value) {
  constexpr std::string_view scheme = "bearer ";
  if (value.size() < scheme.size() || !equal_names(value.substr(0, scheme.size()), scheme)) {
    return std::nullopt;
  }
  value.remove_prefix(scheme.size());
  const auto first = value.find_first_not_of(' ');
  return first == std::string_view::npos ? std::string_view{} : value.substr(first);
}

}  // namespace

std::optional<Refusal> Access::refuse(const RequestHead& head) const {
  bool has_token = options_.token.empty();
  for (const Field& field : head.fields) {
    if (equal_names(field.name, "host")) {
      if (!is_host(field.value)) {
        return Refusal{403, "this Host is not served here: see --allow-host", "host_not_allowed"};
      }
    } else if (equal_names(field.name, "origin")) {
      if (!is_origin(field.value)) {
        return Refusal{403, "requests of web pages are not served: see --allow-host",
                       "origin_not_allowed"};
      }
    } else if (!has_token) {
      has_token = shows_token(field);
    }
  }
  if (!has_token) {
    return Refusal{401, "the proxy's token is missing or wrong: send it as x-tare-token",
                   "proxy_token_required"};
  }
  return std::nullopt;
}

bool Access::is_own(const Field& field) const {
  if (is_for_proxy(field.name)) return true;
  return !options_.token.empty() && equal_names(field.name, "authorization") && shows_token(field);
}

bool Access::is_host(std::string_view authority) const {
  const auto place = split_host_port(authority);
  return place && (is_loopback(*place) || std::any_of(options_.hosts.begin(), options_.hosts.end(),
                                                      [&](std::string_view host) {
                                                        return equal_names(host, place->host);
                                                      }));
}

bool Access::is_origin(std::string_view origin) const {
  const auto scheme = origin.find("://");
  return scheme != std::string_view::npos && is_host(origin.substr(scheme + 3));
}

bool Access::is_token(std::string_view text) const {
  return text.size() == options_.token.size() &&
         CRYPTO_memcmp(text.data(), options_.token.data(), text.size()) == 0;
}

bool Access::shows_token(const Field& field) const {
  if (equal_names(field.name, "x-tare-token")) return is_token(field.value);
  if (!equal_names(field.name, "authorization") &&
      !equal_names(field.name, "proxy-authorization")) {
    return false;
  }
  const auto bearer = bearer_of(field.value);
  return bearer && is_token(*bearer);
}

Result<std::string> parse_token(std::string_view text, std::string_view source) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) text = {};
  if (!text.empty()) text = text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
  if (text.size() < least_token_bytes) {
    return fail(Error::usage(
        fmt::format("{}: a token needs {} characters at least", source, least_token_bytes),
        "for example: openssl rand -hex 32"));
  }
  if (!std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; })) {
    return fail(
        Error::usage(fmt::format("{}: a token is visible ASCII characters on one line", source),
                     "for example: openssl rand -hex 32"));
  }
  return std::string(text);
}

Result<void> check_exposure(bool loopback, const AccessOptions& options, std::string_view option) {
  if (loopback) return {};
  if (options.token.empty()) {
    return fail(Error::usage(
        fmt::format("{}: anyone who reaches an address other than loopback could use the proxy",
                    option),
        "give a token by --token-file or TARE_TOKEN, or listen on 127.0.0.1 or [::1]"));
  }
  if (options.hosts.empty()) {
    return fail(Error::usage(
        fmt::format("{}: an address other than loopback needs the names it is reached by", option),
        "give them by --allow-host NAME"));
  }
  return {};
}

}  // namespace tare::server
