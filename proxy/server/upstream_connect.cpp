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

Await<std::shared_ptr<Lookup>> look_up(EventLoop& loop, Waiter& waiter,
                                       const std::function<bool()>& go_on) {
  auto lookup = std::make_shared<Lookup>();
  error_code not_an_address;
  const auto address = asio::ip::make_address(loop.upstream.host, not_an_address);
  if (!not_an_address) {
    lookup->found.emplace_back(address, loop.upstream.port);
    co_return lookup;
  }
  lookup->asker = &waiter;
  Resolver resolver(loop.io.get_executor());
  resolver.async_resolve(loop.upstream.host, std::to_string(loop.upstream.port),
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

Await<Connected> connect(EventLoop& loop, const Tcp::endpoint& to, Waiter& waiter,
                         const std::function<bool()>& go_on) {
  error_code failure;
  Socket socket(loop.io.get_executor());
  socket.open(to.protocol(), failure);
  if (failure) co_return Connected{nullptr, failure};
  auto stream = std::make_shared<Stream>(std::move(socket));
  stream->set_owner(&waiter);
  stream->connect(to);
  bool wanted = true;
  while (stream->connecting() && wanted) {
    co_await waiter.sleep();
    wanted = go_on();
  }
  failure = wanted ? stream->connect_error() : asio::error::operation_aborted;
  if (!failure) co_return Connected{std::move(stream), {}};
  stream->close();
  co_return Connected{nullptr, failure};
}

}  // namespace

Await<Connected> connect_upstream(EventLoop& loop, Waiter& waiter,
                                  const std::function<bool()>& go_on) {
  const auto lookup = co_await look_up(loop, waiter, go_on);
  Connected result{nullptr, lookup->failure};
  for (const Tcp::endpoint& endpoint : lookup->found) {
    result = co_await connect(loop, endpoint, waiter, go_on);
    if (result.stream || result.failure == asio::error::operation_aborted) break;
  }
  co_return result;
}

}  // namespace tare::server
