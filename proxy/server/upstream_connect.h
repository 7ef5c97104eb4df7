// A new connection to an upstream: its name looked up, its addresses tried in turn, TLS on top when
// its URL says so.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "proxy/server/event_loop.h"

namespace tare::server {

struct Connected {
  std::shared_ptr<Stream> stream;  // owned by `waiter`; none: `fault` says why
  std::string fault;
  bool given_up = false;  // go_on() said so
};

// Sleeps on `waiter`. `go_on` is asked each time it wakes: false gives the attempt up.
Await<Connected> connect_upstream(EventLoop& loop, const Upstream& upstream, Waiter& waiter,
                                  const std::function<bool()>& go_on);

}  // namespace tare::server
