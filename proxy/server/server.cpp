#include "proxy/server/server.h"

#include <fmt/format.h>
#include <malloc.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/intrusive/list.hpp>
#include <csignal>
#include <memory>

#include "proxy/server/connection.h"

namespace tare::server {

namespace {

// A connection in the list of the open ones, until it is destroyed.
struct Open
    : boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
  Open(EventLoop& loop, Socket socket) : connection(loop, std::move(socket)) {}
  Connection connection;
};

class Server {
 public:
  Server(const ServeOptions& options, UpstreamUrl upstream) : loop_(options, std::move(upstream)) {}

  Result<void> listen(const ListenAddress& address);
  std::string base_url() const;
  // Whether requests sent to the upstream would come back here.
  bool is_own_upstream() const;
  void run();

 private:
  using SignalSet = asio::basic_signal_set<Executor>;

  Await<> accept();
  Await<> serve(std::shared_ptr<Open> open);
  void watch_signals();
  void stop();
  void abort();
  void wake_all();
  void end_if_idle();

  EventLoop loop_;
  Acceptor acceptor_{loop_.io.get_executor()};
  SignalSet signals_{loop_.io.get_executor(), SIGTERM, SIGINT};
  Timer drain_{loop_.io.get_executor()};
  Waiter room_;  // wakes accept() when a connection has ended
  std::size_t open_count_ = 0;
  boost::intrusive::list<Open, boost::intrusive::constant_time_size<false>> open_;
};

Result<void> Server::listen(const ListenAddress& address) {
  error_code failure;
  const Tcp::endpoint endpoint(asio::ip::make_address(address.address, failure), address.port);
  if (!failure) acceptor_.open(endpoint.protocol(), failure);
  if (!failure) acceptor_.set_option(Acceptor::reuse_address(true), failure);
  if (!failure) acceptor_.bind(endpoint, failure);
  if (!failure) acceptor_.listen(Acceptor::max_listen_connections, failure);
  if (!failure) acceptor_.non_blocking(true, failure);
  if (failure) {
    return fail(Error::io_errno(
        fmt::format("cannot listen on {}:{}", address.address, address.port), failure.value(),
        "choose another port with --listen; port 0 takes a free one"));
  }
  return {};
}

std::string Server::base_url() const {
  const Tcp::endpoint bound = acceptor_.local_endpoint();
  const std::string address = bound.address().to_string();
  return fmt::format("http://{}:{}",
                     bound.address().is_v6() ? fmt::format("[{}]", address) : address,
                     bound.port());
}

bool Server::is_own_upstream() const {
  error_code not_an_address;
  const Tcp::endpoint bound = acceptor_.local_endpoint();
  const auto address = asio::ip::make_address(loop_.upstream.host, not_an_address);
  return loop_.upstream.port == bound.port() &&
         (not_an_address ? loop_.upstream.host == "localhost"
                         : address == bound.address() ||
                               (bound.address().is_unspecified() && address.is_loopback()));
}

void Server::run() {
  watch_signals();
  asio::co_spawn(loop_.io, accept(), asio::detached);
  loop_.io.run();
}

Await<> Server::accept() {
  while (!loop_.stopping) {
    if (open_count_ >= loop_.options.max_connections) {
      co_await room_.sleep();
      continue;
    }
    error_code failure;
    Socket socket = co_await acceptor_.async_accept(asio::redirect_error(use_await, failure));
    if (loop_.stopping) break;
    if (failure) {
      // Out of descriptors or memory: when connections are open, one of them will give some back.
      Timer pause(loop_.io.get_executor(), std::chrono::milliseconds(50));
      co_await pause.async_wait(asio::redirect_error(use_await, failure));
      continue;
    }
    auto open = std::make_shared<Open>(loop_, std::move(socket));
    open_.push_back(*open);
    ++open_count_;
    asio::co_spawn(loop_.io, serve(std::move(open)), asio::detached);
  }
}

Await<> Server::serve(std::shared_ptr<Open> open) {
  try {
    co_await open->connection.run();
  } catch (const std::exception& failure) {
    fmt::print(stderr, "tare-proxy: a connection was given up: {}\n", failure.what());
  }
  open.reset();
  --open_count_;
  room_.wake();
  if (loop_.stopping) end_if_idle();
}

void Server::watch_signals() {
  signals_.async_wait([this](error_code failure, int) {
    if (failure) return;
    watch_signals();
    if (loop_.stopping) {
      abort();
    } else {
      stop();
    }
  });
}

void Server::stop() {
  loop_.stopping = true;
  error_code ignored;
  acceptor_.close(ignored);
  loop_.pool.clear();
  drain_.expires_after(loop_.options.drain_timeout);
  drain_.async_wait([this](error_code failure) {
    if (!failure) abort();
  });
  wake_all();
  end_if_idle();
}

void Server::abort() {
  loop_.aborting = true;
  wake_all();
}

void Server::wake_all() {
  // A woken connection may end, and with it others never: each unlinks only itself.
  for (auto it = open_.begin(); it != open_.end();) {
    Connection& connection = (it++)->connection;
    connection.wake();
  }
  room_.wake();
}

// Once the last connection has ended nothing may keep the event loop from ending.
void Server::end_if_idle() {
  if (open_count_ > 0) return;
  signals_.cancel();
  drain_.cancel();
  loop_.deadlines.stop();
}

// A long-running process of one thread: one arena, and large bodies go back to the system when they
// are done with.
void tune_memory() {
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_THRESHOLD, 256 << 10);
  mallopt(M_TRIM_THRESHOLD, 256 << 10);
}

}  // namespace

Result<void> serve(const ServeOptions& options,
                   const std::function<void(std::string_view)>& on_ready) {
  auto upstream = parse_upstream_url(options.upstream);
  if (!upstream) return fail(std::move(upstream.error()));
  const auto address = parse_listen_address(options.listen);
  if (!address) return fail(address.error());
  if (const auto safe = check_exposure(address->loopback, options.access); !safe) return safe;
  tune_memory();
  std::signal(SIGPIPE, SIG_IGN);
  Server server(options, std::move(*upstream));
  if (auto listening = server.listen(*address); !listening) return listening;
  if (server.is_own_upstream()) {
    return fail(Error::usage("--upstream is this proxy's own address",
                             "give the address of the API's server"));
  }
  on_ready(server.base_url());
  server.run();
  return {};
}

}  // namespace tare::server
