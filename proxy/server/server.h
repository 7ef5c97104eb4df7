// The HTTP proxy: a listener, its upstreams, and the rewriting of tool outputs on the way.
//
// serve() runs event loops, one of them on the calling thread, until SIGTERM or SIGINT. Any method
// and path is forwarded; requests that may hold tool outputs are collected, rewritten (proxy/wire)
// and sent with their new length, all others and all responses stream through as they come. The
// listener is for this machine only, unless a token is asked for.
//
// An upgrade to WebSocket is passed on, another one is not. A client that closes its sending
// direction is taken for gone and its request is cancelled. A request is sent again only when a
// kept connection was closed before the first byte of an answer and the whole request is still
// held.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "proxy/server/access.h"
#include "proxy/server/log.h"
#include "proxy/wire/policy.h"

namespace tare::server {

struct ServeOptions {
  std::string upstream;                   // https://host[:port][/prefix]
  std::vector<std::string> routes;        // "/path=URL": other upstreams below a path
  std::string ca_file;                    // CAs besides those of the system
  std::string listen = "127.0.0.1:8787";  // port 0: the system chooses
  AccessOptions access;                   // who may use it
  std::string admin;                      // the admin listener; empty: none
  std::string ledger;                     // a file for a line a request; empty: none
  LogFormat log_format = LogFormat::logfmt;
  bool shadow = false;                                  // rewrite, count, and send the original
  bool forward_only = false;                            // rewrite nothing
  wire::Policy policy;                                  // how outputs are rewritten
  std::size_t max_body_bytes = std::size_t{128} << 20;  // a longer body streams through unrewritten
  std::size_t max_held_bytes = std::size_t{512}
                               << 20;  // of all bodies; beyond it they pass unrewritten
  std::size_t max_header_bytes = std::size_t{64} << 10;
  unsigned threads = 1;                 // event loops
  std::size_t max_connections = 1024;   // more wait in the listener's backlog
  std::size_t max_idle_upstreams = 64;  // kept for the next request
  std::chrono::milliseconds header_timeout{
      30'000};  // from a request's first byte to the end of its head
  std::chrono::milliseconds body_timeout{60'000};     // between two pieces of a request's body
  std::chrono::milliseconds idle_timeout{75'000};     // between two requests of a connection
  std::chrono::milliseconds connect_timeout{10'000};  // to the upstream, name look-up included
  std::chrono::milliseconds upstream_timeout{
      600'000};  // to the first byte, and between two pieces, of a response
  std::chrono::milliseconds drain_timeout{10'000};  // for requests in flight when asked to stop
};

// `on_ready` gets the base URL ("http://127.0.0.1:8787") once connections are accepted. Returns
// after a clean stop. Errors: usage (upstream or listen), io (the port cannot be bound). Sets the
// process's handling of SIGTERM, SIGINT and SIGPIPE; call once.
Result<void> serve(const ServeOptions& options,
                   const std::function<void(std::string_view)>& on_ready);

}  // namespace tare::server
