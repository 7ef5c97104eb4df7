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
#include "proxy/server/upstreams.h"

namespace tare::server {

// By all event loops: may be used from several threads.
struct Shared {
  Shared(const ServeOptions& serve_options, Upstreams all_upstreams)
      : options(serve_options),
        upstreams(std::move(all_upstreams)),
        access(serve_options.access),
        held_bytes(serve_options.max_held_bytes) {}

  void log(LogLevel level, std::string_view message) const {
    write_log(options.log_format, level, message);
  }

  const ServeOptions& options;
  const Upstreams upstreams;  // the longest prefix first; the last one takes every target
  const Access access;
  HeldBytes held_bytes;
  std::unique_ptr<Ledger> ledger;  // or null
  std::atomic<std::size_t> open_connections = 0;
};

// By the connections of one event loop: used from its thread only.
struct EventLoop {
  explicit EventLoop(Shared& all) : shared(all), options(all.options), access(all.access) {
    for (const auto& upstream : all.upstreams) {
      destinations.push_back(
          std::make_unique<Destination>(*upstream, deadlines, options.max_idle_upstreams));
    }
  }

  Destination& destination_of(std::string_view target) {
    for (const auto& destination : destinations) {
      if (is_below(target, destination->upstream.route.prefix)) return *destination;
    }
    return *destinations.back();
  }

  // A request has ended.
  void count(const RequestRecord& record) {
    metrics.count(record);
    if (shared.ledger) shared.ledger->add(record);
  }

  Shared& shared;
  const ServeOptions& options;
  const Access& access;
  asio::io_context io{1};
  Deadlines deadlines{io};
  Scratch scratch;
  std::vector<asio::const_buffer> pieces;  // of the write being put together; empty between two
  std::vector<std::unique_ptr<Destination>> destinations;
  Metrics metrics;
  bool stopping = false;  // finish what is in flight
  bool aborting = false;  // give up what is in flight
  BodyRewriter rewriter{options.policy,
                        {options.max_body_bytes, shared.held_bytes},
                        [this](std::function<void()> task) { asio::post(io, std::move(task)); },
                        [this] { metrics.rewrites_given_up.add(1); }};
};

}  // namespace tare::server
