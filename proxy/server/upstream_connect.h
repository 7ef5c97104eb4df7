// A new connection to the upstream: its name looked up, its addresses tried in turn.
#pragma once

#include <functional>
#include <memory>

#include "proxy/server/event_loop.h"

namespace tare::server {

struct Connected {
  std::shared_ptr<Stream> stream;  // owned by `waiter`; none: failure says why
  error_code failure;
};

// Sleeps on `waiter`. `go_on` is asked each time it wakes: false gives the attempt up.
Await<Connected> connect_upstream(EventLoop& loop, Waiter& waiter,
                                  const std::function<bool()>& go_on);

}  // namespace tare::server
