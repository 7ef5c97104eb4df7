#include "proxy/server/worker.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/dispatch.hpp>
#include <utility>

namespace tare::server {

namespace {

Tcp protocol_of(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  return address.ss_family == AF_INET6 ? Tcp::v6() : Tcp::v4();
}

}  // namespace

Worker::Worker(Shared& shared, Events events) : loop_(shared), events_(std::move(events)) {}

void Worker::run() {
  loop_.io.run();
}

void Worker::adopt(int socket) {
  ++open_count_;
  asio::dispatch(loop_.io, [this, socket] { serve(socket); });
}

void Worker::serve(int socket) {
  error_code failure;
  Socket taken(loop_.io.get_executor());
  taken.assign(protocol_of(socket), socket, failure);
  if (failure) {
    ::close(socket);
    ended();
    return;
  }
  auto open = std::make_shared<Open>(loop_, std::move(taken));
  open_.push_back(*open);
  asio::co_spawn(loop_.io, run_connection(std::move(open)), asio::detached);
}

Await<> Worker::run_connection(std::shared_ptr<Open> open) {
  try {
    co_await open->connection.run();
  } catch (const std::exception& failure) {
    loop_.shared.log(LogLevel::error, fmt::format("a connection was given up: {}", failure.what()));
  }
  open.reset();
  ended();
}

void Worker::ended() {
  --open_count_;
  events_.connection_ended();
  if (loop_.stopping) end_if_idle();
}

void Worker::stop() {
  asio::dispatch(loop_.io, [this] {
    loop_.stopping = true;
    for (const auto& destination : loop_.destinations) destination->pool.clear();
    wake_all();
    end_if_idle();
  });
}

void Worker::abort() {
  asio::dispatch(loop_.io, [this] {
    loop_.aborting = true;
    wake_all();
  });
}

void Worker::wake_all() {
  // A woken connection may end, and with it others never: each unlinks only itself.
  for (auto it = open_.begin(); it != open_.end();) {
    Connection& connection = (it++)->connection;
    connection.wake();
  }
}

// Once the last connection has ended nothing may keep the event loop from ending.
void Worker::end_if_idle() {
  if (open_count_ > 0 || !work_.owns_work()) return;
  work_.reset();
  loop_.deadlines.stop();
  events_.idle();
}

}  // namespace tare::server
