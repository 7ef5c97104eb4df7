// What is refused before anything is forwarded, as RFC 9112 says, so that no two parties can read a
// request differently.
//
// The message parser alone is no guard: it takes folded lines, unknown or misplaced transfer
// codings, two Hosts or none, equal double lengths and absolute-form targets. scan_head() judges
// the raw lines (the parser no longer shows them), refuse_request() the parsed head. Pure
// functions; may be called from several threads.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "proxy/server/message.h"

namespace tare::server {

struct HeadScan {
  enum class State { incomplete, complete, malformed };
  State state = State::incomplete;
  std::size_t length_bytes = 0;  // complete: the head with its empty line
  std::string_view fault;        // malformed: what is wrong
};

// Looks for the end of a message head. `resume_at` is 0 for a new head and is moved on, so that a
// head which arrives in pieces is looked through once. Malformed: a lone CR or LF, a NUL, a folded
// line (obs-fold).
HeadScan scan_head(std::string_view bytes, std::size_t& resume_at);

struct Refusal {
  unsigned status = 400;
  std::string_view reason;
  std::string_view code = "bad_request";
};

// A field of one hop alone, whatever Connection names besides (RFC 9110, 7.6.1).
bool is_hop_by_hop(std::string_view name);

// A field for the proxy alone: "x-tare-...".
bool is_for_proxy(std::string_view name);

// Whether a field may be sent on as a trailer: none that says how a message is framed, routed,
// authenticated, controlled or decoded, since it comes too late to be checked as a head's is
// (RFC 9110, 6.5.1), and none of one hop or for the proxy alone.
bool may_be_trailer(std::string_view name);

// Nothing when the request may be forwarded.
std::optional<Refusal> refuse_request(const RequestHead& head);

// The fault of a response head's framing that a gateway must not pass on, or nothing.
// `asked_to_switch`: the request was one to speak WebSocket.
std::optional<std::string_view> response_fault(const ResponseHead& head, bool asked_to_switch);

}  // namespace tare::server
