#include "proxy/server/forward_head.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

namespace tare::server {

namespace {

constexpr std::string_view upgrade_fields = "Connection: Upgrade\r\nUpgrade: websocket\r\n";

class HopByHop {
 public:
  explicit HopByHop(const std::vector<Field>& fields) {
    for (const Field& field : fields) {
      if (!equal_names(field.name, "connection")) continue;
      for_each_token(field.value, [&](std::string_view token) { named_.push_back(token); });
    }
  }

  bool holds(std::string_view name) const {
    const auto same = [&](std::string_view other) { return equal_names(name, other); };
    return is_hop_by_hop(name) || std::any_of(named_.begin(), named_.end(), same);
  }

 private:
  std::vector<std::string_view> named_;
};

void append_field(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ").append(value).append("\r\n");
}

void append_framing(std::string& out, Framing framing, std::string_view length_name) {
  if (framing.kind == Framing::Kind::length) {
    append_field(out, length_name, fmt::format_int(framing.length_bytes).c_str());
  } else if (framing.kind == Framing::Kind::chunked) {
    append_field(out, "Transfer-Encoding", "chunked");
  }
}

}  // namespace

ForwardHead::ForwardHead(const RequestHead& head, const UpstreamUrl& upstream, const Access& access,
                         Hop hop) {
  const HopByHop filter(head.fields);
  text_.reserve(1024);
  text_.append(head.method).append(" ");
  if (head.target != "*") text_.append(upstream.prefix);
  text_.append(head.target).append(" HTTP/1.1\r\n");
  bool has_host = false;
  for (const Field& field : head.fields) {
    if (equal_names(field.name, "host")) {
      append_field(text_, field.name, upstream.authority);
      has_host = true;
    } else if (equal_names(field.name, "content-length")) {
      framing_at_ = text_.size();
      length_name_ = field.name;
    } else if (equal_names(field.name, "transfer-encoding")) {
      framing_at_ = text_.size();
    } else if (equal_names(field.name, "expect")) {
      if (hop.keep_expect) append_field(text_, field.name, field.value);
    } else if (hop.upgrade && equal_names(field.name, "sec-websocket-extensions")) {
      // Compressed frames could be passed on or read, not both.
    } else if (!filter.holds(field.name) && !access.is_own(field)) {
      append_field(text_, field.name, field.value);
    }
  }
  if (!has_host) append_field(text_, "Host", upstream.authority);
  if (hop.upgrade) text_.append(upgrade_fields);
  if (framing_at_ == 0) framing_at_ = text_.size();
}

std::string ForwardHead::with(Framing framing) const {
  std::string out;
  out.reserve(text_.size() + 64);
  out.append(text_, 0, framing_at_);
  append_framing(out, framing, length_name_);
  out.append(text_, framing_at_).append("\r\n");
  return out;
}

bool asks_for_websocket(const RequestHead& head) {
  bool upgrades = false;
  bool websocket = false;
  for (const Field& field : head.fields) {
    if (equal_names(field.name, "connection")) {
      for_each_token(field.value,
                     [&](std::string_view token) { upgrades |= equal_names(token, "upgrade"); });
    } else if (equal_names(field.name, "upgrade")) {
      for_each_token(field.value,
                     [&](std::string_view token) { websocket |= equal_names(token, "websocket"); });
    }
  }
  return head.method == "GET" && head.version >= 11 && upgrades && websocket;
}

void append_response_head(std::string& out, const ResponseHead& head, Framing framing, bool close) {
  const HopByHop filter(head.fields);
  // A 1xx or 204 has no length (RFC 9110, 8.6); in answers to HEAD and in 304 it tells of the body
  // that was not sent.
  const bool keep_length =
      framing.kind == Framing::Kind::none && head.status != 204 && head.status >= 200;
  bool framed = false;
  bool upgrade_named = false;  // what a 426 asks for, without which it is none (RFC 9110, 15.5.22)
  fmt::format_to(std::back_inserter(out), "HTTP/1.1 {} ", head.status);
  out.append(head.reason).append("\r\n");
  for (const Field& field : head.fields) {
    if (equal_names(field.name, "content-length")) {
      if (!framed && (keep_length || framing.kind == Framing::Kind::length)) {
        // Equal lengths in a list are one length: the parser has seen that they are equal.
        append_field(out, field.name, field.value.substr(0, field.value.find_first_of(", \t")));
      }
      framed = true;
    } else if (equal_names(field.name, "trailer")) {
      if (framing.kind == Framing::Kind::chunked) append_field(out, field.name, field.value);
    } else if (head.status == 426 && equal_names(field.name, "upgrade")) {
      append_field(out, field.name, field.value);
      upgrade_named = true;
    } else if (!filter.holds(field.name)) {
      append_field(out, field.name, field.value);
    }
  }
  if (upgrade_named) append_field(out, "Connection", "upgrade");
  if (framing.kind == Framing::Kind::chunked) append_framing(out, framing, {});
  if (head.status == 101) {
    out.append(upgrade_fields);
  } else if (close) {
    append_field(out, "Connection", "close");
  }
  out.append("\r\n");
}

}  // namespace tare::server
