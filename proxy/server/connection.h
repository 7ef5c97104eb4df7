// A client's connection: one request after the other until either side has had enough.
#pragma once

#include <memory>

#include "proxy/server/event_loop.h"
#include "proxy/server/exchange.h"
#include "proxy/server/header_policy.h"

namespace tare::server {

class Connection {
 public:
  Connection(EventLoop& loop, Socket socket);
  ~Connection();

  Await<> run();
  // To be called when the loop's `stopping` or `aborting` has changed.
  void wake() { waiter_.wake(); }

 private:
  Await<Exchange::End> serve_request();
  // The length of the next request's head; 0 when the connection is to end as end_ says.
  Await<std::size_t> wait_for_head();
  void refuse(Refusal refusal);
  Await<> finish();

  EventLoop& loop_;
  Waiter waiter_;
  Deadline deadline_;
  Client client_;
  Exchange::End end_ = Exchange::End::keep;
};

}  // namespace tare::server
