// What connections share: all of them, and those of one event loop.
#pragma once

#include <atomic>
#include <boost/asio/post.hpp>
#include <functional>
#include <memory>
#include <vector>

#include "proxy/server/access.h"
#include "proxy/server/asio.h"
#include "proxy/server/body_rewriter.h"
#include "proxy/server/buffers.h"
#include "proxy/server/deadlines.h"
#include "proxy/server/held_bytes.h"
#include "proxy/server/ledger.h"
#include "proxy/server/metrics.h"
#include "proxy/server/server.h"
#include "proxy/server/upstream_pool.h"
#include "proxy/server/upstream_url.h"

namespace tare::server {

// By all event loops: may be used from several threads.
struct Shared {
  Shared(const ServeOptions& serve_options, UpstreamUrl upstream_url)
      : options(serve_options),
        upstream(std::move(upstream_url)),
        access(serve_options.access),
        held_bytes(serve_options.max_held_bytes) {}

  void log(LogLevel level, std::string_view message) const {
    write_log(options.log_format, level, message);
  }

  const ServeOptions& options;
  const UpstreamUrl upstream;
  const Access access;
  HeldBytes held_bytes;
  std::unique_ptr<Ledger> ledger;  // or null
  std::atomic<std::size_t> open_connections = 0;
  std::atomic<bool> upstream_reported = false;  // its failure stands in the log already
};

// By the connections of one event loop: used from its thread only.
struct EventLoop {
  explicit EventLoop(Shared& all)
      : shared(all), options(all.options), upstream(all.upstream), access(all.access) {}

  // A request has ended.
  void count(const RequestRecord& record) {
    metrics.count(record);
    if (shared.ledger) shared.ledger->add(record);
  }

  Shared& shared;
  const ServeOptions& options;
  const UpstreamUrl& upstream;
  const Access& access;
  asio::io_context io{1};
  Deadlines deadlines{io};
  Scratch scratch;
  std::vector<asio::const_buffer> pieces;  // of the write being put together; empty between two
  UpstreamPool pool{deadlines, options.max_idle_upstreams, std::chrono::seconds(60)};
  Metrics metrics;
  bool stopping = false;  // finish what is in flight
  bool aborting = false;  // give up what is in flight
  BodyRewriter rewriter{options.policy,
                        {options.max_body_bytes, shared.held_bytes},
                        [this](std::function<void()> task) { asio::post(io, std::move(task)); }};
};

}  // namespace tare::server
