#include "proxy/server/server.h"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "proxy/server/admin.h"
#include "proxy/server/block_signals.h"
#include "proxy/server/listening.h"
#include "proxy/server/worker.h"

namespace tare::server {

namespace {

// Accepts clients, shares them out among the event loops and stops these. All of it happens on the
// first loop's thread, which is the one that calls run().
class Server {
 public:
  Server(const ServeOptions& options, Upstreams upstreams, const ListeningSocket& listening,
         std::unique_ptr<Ledger> ledger);
  void open_admin(const ListeningSocket& socket);

  void run();

 private:
  using SignalSet = asio::basic_signal_set<Executor>;

  Worker::Events events();
  asio::io_context& io() { return workers_.front()->io(); }
  void watch_listener();
  void accept();
  Worker& least_busy();
  void connection_ended();
  void watch_signals();
  void stop();
  void abort();
  void worker_idle();

  Shared shared_;
  std::vector<std::unique_ptr<Worker>> workers_;
  Acceptor acceptor_;
  SignalSet signals_;
  Timer timer_;  // a pause in accepting; later the end of the drain
  std::optional<Admin> admin_;
  Clock::time_point started_ = Clock::now();
  bool full_ = false;
  bool stopping_ = false;
  std::size_t idle_workers_ = 0;
};

Server::Server(const ServeOptions& options, Upstreams upstreams, const ListeningSocket& listening,
               std::unique_ptr<Ledger> ledger)
    : shared_(options, std::move(upstreams)),
      workers_([&] {
        std::vector<std::unique_ptr<Worker>> workers;
        for (unsigned i = 0; i < options.threads; ++i) {
          workers.push_back(std::make_unique<Worker>(shared_, events()));
        }
        return workers;
      }()),
      acceptor_(io().get_executor(), listening.v6 ? Tcp::v6() : Tcp::v4(), listening.descriptor),
      signals_(io().get_executor(), SIGTERM, SIGINT),
      timer_(io().get_executor()) {
  shared_.ledger = std::move(ledger);
}

void Server::open_admin(const ListeningSocket& socket) {
  const auto gauges = [this] {
    const std::chrono::duration<double> uptime = Clock::now() - started_;
    return Gauges{shared_.open_connections, shared_.held_bytes.count(), uptime.count()};
  };
  const auto loops = [this] {
    std::vector<const Metrics*> all;
    for (const auto& worker : workers_) all.push_back(&worker->metrics());
    return all;
  };
  admin_.emplace(io(), socket, shared_.access,
                 Admin::Answers{[this] { return !stopping_; },
                                [=] { return prometheus_text(loops(), gauges()); },
                                [=] { return stats_json(loops(), gauges()); }});
}

Worker::Events Server::events() {
  return {[this] { connection_ended(); }, [this] { asio::post(io(), [this] { worker_idle(); }); }};
}

void Server::run() {
  watch_signals();
  watch_listener();
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < workers_.size(); ++i) {
    threads.emplace_back([worker = workers_[i].get()] { worker->run(); });
  }
  workers_.front()->run();
}

void Server::watch_listener() {
  acceptor_.async_wait(Acceptor::wait_read, [this](error_code failure) {
    if (!failure) accept();
  });
}

void Server::accept() {
  while (!stopping_) {
    if (shared_.open_connections >= shared_.options.max_connections) {
      full_ = true;
      return;
    }
    const int socket =
        ::accept4(acceptor_.native_handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket >= 0) {
      ++shared_.open_connections;
      least_busy().adopt(socket);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      watch_listener();
      return;
    } else if (errno != EINTR && errno != ECONNABORTED) {
      // Out of descriptors or memory: when connections are open, one of them will give some back.
      timer_.expires_after(std::chrono::milliseconds(50));
      timer_.async_wait([this](error_code failure) {
        if (!failure) accept();
      });
      return;
    }
  }
}

Worker& Server::least_busy() {
  return **std::min_element(workers_.begin(), workers_.end(), [](const auto& a, const auto& b) {
    return a->open_connections() < b->open_connections();
  });
}

// On the thread of the connection's loop.
void Server::connection_ended() {
  if (shared_.open_connections-- < shared_.options.max_connections) return;
  asio::post(io(), [this] {
    if (full_) {
      full_ = false;
      accept();
    }
  });
}

void Server::watch_signals() {
  signals_.async_wait([this](error_code failure, int) {
    // A signal that came just before the end must not keep the event loop.
    if (failure || idle_workers_ == workers_.size()) return;
    watch_signals();
    if (stopping_) {
      abort();
    } else {
      stop();
    }
  });
}

void Server::stop() {
  stopping_ = true;
  error_code ignored;
  acceptor_.close(ignored);
  timer_.expires_after(shared_.options.drain_timeout);
  timer_.async_wait([this](error_code failure) {
    if (!failure) abort();
  });
  for (const auto& worker : workers_) worker->stop();
}

void Server::abort() {
  for (const auto& worker : workers_) worker->abort();
}

// Once the last one is idle nothing may keep the first event loop from ending.
void Server::worker_idle() {
  if (++idle_workers_ < workers_.size()) return;
  signals_.cancel();
  timer_.cancel();
  if (admin_) admin_->close();
}

// Whether requests sent to the upstream would come back here.
bool is_own_address(const UpstreamUrl& upstream, const ListeningSocket& listening) {
  if (upstream.port != listening.port) return false;
  error_code failure;
  const auto bound = asio::ip::make_address(listening.address, failure);
  const auto address = asio::ip::make_address(upstream.host, failure);
  if (failure) return upstream.host == "localhost";
  return address == bound || (bound.is_unspecified() && address.is_loopback());
}

// Of --upstream and each --route, the longest path first.
Result<Upstreams> make_upstreams(const ServeOptions& options) {
  Upstreams upstreams;
  std::shared_ptr<const TlsContext> tls;
  const auto add = [&](Route route) -> Result<void> {
    if (route.upstream.tls && !tls) {
      auto made = TlsContext::make(options.ca_file);
      if (!made) return fail(made.error());
      tls = std::move(*made);
    }
    upstreams.push_back(std::make_unique<Upstream>(std::move(route)));
    if (upstreams.back()->route.upstream.tls) upstreams.back()->tls = tls;
    return {};
  };
  auto url = parse_upstream_url(options.upstream, "--upstream");
  if (!url) return fail(std::move(url.error()));
  if (auto added = add({{}, std::move(*url)}); !added) return fail(added.error());
  for (const std::string& text : options.routes) {
    auto route = parse_route(text);
    if (!route) return fail(std::move(route.error()));
    if (auto added = add(std::move(*route)); !added) return fail(added.error());
  }
  std::sort(upstreams.begin(), upstreams.end(), [](const auto& a, const auto& b) {
    return a->route.prefix.size() > b->route.prefix.size();
  });
  return upstreams;
}

// A long-running process: few arenas, and large bodies go back to the system when they are done
// with.
void tune_memory(unsigned threads) {
  mallopt(M_ARENA_MAX, static_cast<int>(threads));
  mallopt(M_MMAP_THRESHOLD, 256 << 10);
  mallopt(M_TRIM_THRESHOLD, 256 << 10);
}

}  // namespace

Result<void> serve(const ServeOptions& options,
                   const std::function<void(std::string_view)>& on_ready) {
  auto upstreams = make_upstreams(options);
  if (!upstreams) return fail(std::move(upstreams.error()));
  const auto listening = take_or_open_listening_socket(options.listen, "--listen");
  if (!listening) return fail(listening.error());
  if (const auto safe = check_exposure(listening->loopback, options.access, "--listen"); !safe)
    return safe;
  for (const auto& upstream : *upstreams) {
    if (!is_own_address(upstream->route.upstream, *listening)) continue;
    return fail(Error::usage("an upstream is this proxy's own address",
                             "give the address of the API's server"));
  }
  std::unique_ptr<Ledger> ledger;
  if (!options.ledger.empty()) {
    auto opened = Ledger::open(options.ledger);
    if (!opened) return fail(opened.error());
    ledger = std::move(*opened);
  }
  tune_memory(options.threads);
  std::signal(SIGPIPE, SIG_IGN);
  Server server(options, std::move(*upstreams), *listening, std::move(ledger));
  if (!options.admin.empty()) {
    const auto admin = open_listening_socket(options.admin, "--admin");
    if (!admin) return fail(admin.error());
    if (auto safe = check_exposure(admin->loopback, options.access, "--admin"); !safe) return safe;
    server.open_admin(*admin);
    write_log(options.log_format, LogLevel::info, "admin listens on " + admin->base_url);
  }
  on_ready(listening->base_url);
  server.run();
  // One more signal while all is taken down must not look like a crash.
  block_signals();
  return {};
}

}  // namespace tare::server
