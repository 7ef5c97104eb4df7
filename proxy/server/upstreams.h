// Where requests go: the upstreams of the process, and one event loop's connections to them.
#pragma once

#include <atomic>
#include <memory>
#include <string_view>
#include <vector>

#include "proxy/server/tls.h"
#include "proxy/server/upstream_pool.h"
#include "proxy/server/upstream_url.h"

namespace tare::server {

// Of the process; may be used from several threads.
struct Upstream {
  explicit Upstream(Route where) : route(std::move(where)) {}

  const Route route;
  std::shared_ptr<const TlsContext> tls;  // null: not encrypted
  std::atomic<bool> reported = false;     // its failure stands in the log already
};

using Upstreams = std::vector<std::unique_ptr<Upstream>>;

// Of one event loop.
struct Destination {
  Destination(Upstream& where, Deadlines& deadlines, std::size_t max_idle)
      : upstream(where), pool(deadlines, max_idle, std::chrono::seconds(60)) {}

  Upstream& upstream;
  UpstreamPool pool;

  const UpstreamUrl& url() const { return upstream.route.upstream; }
};

}  // namespace tare::server
