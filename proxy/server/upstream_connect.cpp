#include "proxy/server/upstream_connect.h"

#include <boost/asio/ip/address.hpp>
#include <vector>

namespace tare::server {

namespace {

// The answer of the resolver, which may come when nobody waits for it any more.
struct Lookup {
  Wakeable* asker = nullptr;
  bool done = false;
  error_code failure;
  std::vector<Tcp::endpoint> found;
};

Await<std::shared_ptr<Lookup>> look_up(EventLoop& loop, const UpstreamUrl& url, Waiter& waiter,
                                       const std::function<bool()>& go_on) {
  auto lookup = std::make_shared<Lookup>();
  error_code not_an_address;
  const auto address = asio::ip::make_address(url.host, not_an_address);
  if (!not_an_address) {
    lookup->found.emplace_back(address, url.port);
    co_return lookup;
  }
  lookup->asker = &waiter;
  Resolver resolver(loop.io.get_executor());
  resolver.async_resolve(url.host, std::to_string(url.port),
                         [lookup](error_code failure, const Resolver::results_type& results) {
                           lookup->done = true;
                           lookup->failure = failure;
                           for (const auto& result : results) {
                             lookup->found.push_back(result.endpoint());
                           }
                           if (lookup->asker != nullptr) lookup->asker->wake();
                         });
  bool wanted = true;
  while (!lookup->done && wanted) {
    co_await waiter.sleep();
    wanted = go_on();
  }
  lookup->asker = nullptr;
  co_return lookup;
}

Connected failed(const error_code& failure) {
  return {nullptr, failure.message(), failure == asio::error::operation_aborted};
}

Await<Connected> connect(EventLoop& loop, const Tcp::endpoint& to, Waiter& waiter,
                         const std::function<bool()>& go_on) {
  error_code failure;
  Socket socket(loop.io.get_executor());
  socket.open(to.protocol(), failure);
  if (failure) co_return failed(failure);
  auto stream = std::make_shared<Stream>(std::move(socket));
  stream->set_owner(&waiter);
  stream->connect(to);
  bool wanted = true;
  while (stream->connecting() && wanted) {
    co_await waiter.sleep();
    wanted = go_on();
  }
  failure = wanted ? stream->connect_error() : asio::error::operation_aborted;
  if (!failure) co_return Connected{std::move(stream), {}, false};
  stream->close();
  co_return failed(failure);
}

// Makes the connection a verified TLS channel.
Await<Connected> secure(Connected connected, const Upstream& upstream, Waiter& waiter,
                        const std::function<bool()>& go_on) {
  Stream& stream = *connected.stream;
  stream.start_tls(*upstream.tls, upstream.route.upstream.host);
  for (;;) {
    const Flow flow = stream.handshake();
    if (flow == Flow::moved) co_return connected;
    if (flow != Flow::blocked) {
      std::string fault = stream.tls_fault();
      stream.close();
      co_return Connected{nullptr, std::move(fault), false};
    }
    co_await waiter.sleep();
    const bool wanted = go_on();
    if (!wanted) {
      stream.close();
      co_return failed(asio::error::operation_aborted);
    }
  }
}

}  // namespace

Await<Connected> connect_upstream(EventLoop& loop, const Upstream& upstream, Waiter& waiter,
                                  const std::function<bool()>& go_on) {
  const auto lookup = co_await look_up(loop, upstream.route.upstream, waiter, go_on);
  Connected result = failed(lookup->failure);
  for (const Tcp::endpoint& endpoint : lookup->found) {
    result = co_await connect(loop, endpoint, waiter, go_on);
    if (result.stream && upstream.tls) {
      result = co_await secure(std::move(result), upstream, waiter, go_on);
    }
    if (result.stream || result.given_up) break;
  }
  co_return result;
}

}  // namespace tare::server
