#include "proxy/server/header_policy.h"

#include <algorithm>
#include <array>

namespace tare::server {

namespace {

// More named fields than this in Connection is an attempt to make the filter work.
constexpr int max_connection_tokens = 64;

constexpr std::array<std::string_view, 8> hop_by_hop = {
    "connection", "keep-alive",        "proxy-connection",   "te",
    "upgrade",    "transfer-encoding", "proxy-authenticate", "proxy-authorization"};

constexpr std::array<std::string_view, 31> heads_only = {
    // How the message is framed and routed, and who sends it.
    "content-length", "trailer", "host", "forwarded", "max-forwards", "origin", "authorization",
    "www-authenticate", "cookie", "set-cookie",
    // What is asked, and under which conditions.
    "expect", "range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since",
    "if-range", "cache-control", "pragma",
    // What is to be done with the answer.
    "age", "date", "expires", "location", "retry-after", "vary", "warning",
    // How the body is to be read.
    "content-encoding", "content-type", "content-range", "content-location", "content-language"};

template <std::size_t count>
bool is_one_of(const std::array<std::string_view, count>& names, std::string_view name) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view other) { return equal_names(name, other); });
}

bool digits_only(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<Refusal> refuse_target(const RequestHead& head) {
  if (head.method == "CONNECT") return Refusal{501, "CONNECT is not supported"};
  if (head.target == "*" && head.method == "OPTIONS") return std::nullopt;
  if (!head.target.starts_with('/')) {
    return Refusal{400,
                   "the request target must be a path: the upstream is not the client's choice"};
  }
  if (head.target.starts_with("//")) {
    return Refusal{400, "the request target must not begin with two slashes"};
  }
  if (std::any_of(head.target.begin(), head.target.end(),
                  [](char c) { return c <= ' ' || c >= 0x7f; })) {
    return Refusal{400, "the request target must be visible ASCII"};
  }
  if (head.target.find_first_of("\\#") != std::string_view::npos) {
    return Refusal{400, "the request target must not hold a backslash or a fragment"};
  }
  return std::nullopt;
}

std::optional<Refusal> refuse_host(const RequestHead& head) {
  int hosts = 0;
  for (const Field& field : head.fields) {
    if (!equal_names(field.name, "host")) continue;
    ++hosts;
    if (field.value.find_first_of(" \t,/\\@?#\"<>") != std::string_view::npos) {
      return Refusal{400, "Host is not a host and port"};
    }
  }
  if (hosts > 1) return Refusal{400, "more than one Host"};
  if (hosts == 0 && head.version >= 11) return Refusal{400, "no Host"};
  return std::nullopt;
}

std::optional<Refusal> refuse_framing(const RequestHead& head) {
  int lengths = 0;
  int codings = 0;
  int chunked = 0;
  bool chunked_last = false;
  bool has_transfer_encoding = false;
  for (const Field& field : head.fields) {
    if (equal_names(field.name, "content-length")) {
      ++lengths;
      // 18 digits are below 2^63, and far above any body.
      if (!digits_only(field.value) || field.value.size() > 18) {
        return Refusal{400, "Content-Length is not a length"};
      }
    } else if (equal_names(field.name, "transfer-encoding")) {
      has_transfer_encoding = true;
      for_each_token(field.value, [&](std::string_view coding) {
        ++codings;
        chunked_last = equal_names(coding, "chunked");
        chunked += chunked_last ? 1 : 0;
      });
    }
  }
  if (lengths > 1) return Refusal{400, "more than one Content-Length"};
  if (!has_transfer_encoding) return std::nullopt;
  if (lengths > 0) return Refusal{400, "Content-Length beside Transfer-Encoding"};
  if (head.version < 11) return Refusal{400, "Transfer-Encoding in an HTTP/1.0 request"};
  if (!chunked_last || chunked > 1)
    return Refusal{400, "chunked must be the last transfer coding, once"};
  if (codings > 1) return Refusal{501, "no transfer coding but chunked is supported"};
  return std::nullopt;
}

std::optional<Refusal> refuse_fields(const RequestHead& head) {
  int connection_tokens = 0;
  for (const Field& field : head.fields) {
    if (equal_names(field.name, "connection")) {
      for_each_token(field.value, [&](std::string_view) { ++connection_tokens; });
    } else if (equal_names(field.name, "expect") && head.version >= 11 &&
               !equal_names(field.value, "100-continue")) {
      return Refusal{417, "no expectation but 100-continue is supported"};
    }
  }
  if (connection_tokens > max_connection_tokens)
    return Refusal{400, "Connection names too many fields"};
  return std::nullopt;
}

}  // namespace

bool equal_names(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; };
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [&](char x, char y) { return lower(x) == lower(y); });
}

bool is_hop_by_hop(std::string_view name) {
  return is_one_of(hop_by_hop, name);
}

bool is_for_proxy(std::string_view name) {
  constexpr std::string_view prefix = "x-tare-";
  return equal_names(name.substr(0, prefix.size()), prefix);
}

bool may_be_trailer(std::string_view name) {
  return !is_hop_by_hop(name) && !is_for_proxy(name) && !is_one_of(heads_only, name);
}

HeadScan scan_head(std::string_view bytes, std::size_t& resume_at) {
  for (;;) {
    const auto end = bytes.find('\n', resume_at);
    if (end == std::string_view::npos) return {};
    const std::string_view line = bytes.substr(resume_at, end - resume_at);
    if (!line.ends_with('\r')) return {HeadScan::State::malformed, 0, "a line ends without CR"};
    if (line.size() == 1) return {HeadScan::State::complete, end + 1, {}};
    if (line.find('\r') != line.size() - 1) {
      return {HeadScan::State::malformed, 0, "a CR inside a line"};
    }
    if (line.find('\0') != std::string_view::npos) {
      return {HeadScan::State::malformed, 0, "a NUL in the header"};
    }
    if (line.front() == ' ' || line.front() == '\t') {
      return {HeadScan::State::malformed, 0, "a line begins with a blank (a folded field)"};
    }
    resume_at = end + 1;
  }
}

std::optional<Refusal> refuse_request(const RequestHead& head) {
  for (auto* check : {refuse_target, refuse_host, refuse_framing, refuse_fields}) {
    if (auto refusal = check(head)) return refusal;
  }
  return std::nullopt;
}

std::optional<std::string_view> response_fault(const ResponseHead& head, bool asked_to_switch) {
  if (head.status < 100) return "sent a status that is none";
  if (head.status == 101 && !asked_to_switch) return "switched protocols without being asked to";
  for (const Field& field : head.fields) {
    if (head.status == 101 && equal_names(field.name, "sec-websocket-extensions")) {
      return "chose a WebSocket extension that was not offered";
    }
    if (equal_names(field.name, "transfer-encoding") && !equal_names(field.value, "chunked")) {
      return "used a transfer coding other than chunked";
    }
  }
  return std::nullopt;
}

}  // namespace tare::server
