// One event loop and the connections that it serves.
//
// adopt(), stop() and abort() may be called from any thread; run() is the loop's thread.
#pragma once

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/intrusive/list.hpp>
#include <functional>
#include <memory>

#include "proxy/server/connection.h"
#include "proxy/server/event_loop.h"

namespace tare::server {

class Worker {
 public:
  struct Events {
    std::function<void()> connection_ended;  // on the worker's thread
    std::function<void()> idle;  // the same, once: it is stopping and no connection is left
  };

  Worker(Shared& shared, Events events);

  // Until it has been asked to stop and its last connection has ended.
  void run();

  asio::io_context& io() { return loop_.io; }
  const Metrics& metrics() const { return loop_.metrics; }
  std::size_t open_connections() const { return open_count_; }

  // Serves the connection of an open socket, which it takes.
  void adopt(int socket);
  // Finish what is in flight.
  void stop();
  // Give up what is in flight.
  void abort();

 private:
  // A connection in the list of the open ones, until it is destroyed.
  struct Open : boost::intrusive::list_base_hook<
                    boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
    Open(EventLoop& loop, Socket socket) : connection(loop, std::move(socket)) {}
    Connection connection;
  };

  void serve(int socket);
  Await<> run_connection(std::shared_ptr<Open> open);
  void ended();
  void wake_all();
  void end_if_idle();

  EventLoop loop_;
  Events events_;
  asio::executor_work_guard<Executor> work_{loop_.io.get_executor()};
  std::atomic<std::size_t> open_count_ = 0;
  boost::intrusive::list<Open, boost::intrusive::constant_time_size<false>> open_;
};

}  // namespace tare::server
