// What all connections of one event loop share. Used from its thread only.
#pragma once

#include <vector>

#include "proxy/server/access.h"
#include "proxy/server/asio.h"
#include "proxy/server/buffers.h"
#include "proxy/server/deadlines.h"
#include "proxy/server/server.h"
#include "proxy/server/upstream_pool.h"
#include "proxy/server/upstream_url.h"
#include "proxy/wire/rewriter.h"

namespace tare::server {

struct EventLoop {
  EventLoop(const ServeOptions& serve_options, UpstreamUrl upstream_url)
      : options(serve_options), upstream(std::move(upstream_url)), access(serve_options.access) {}

  const ServeOptions& options;
  const UpstreamUrl upstream;
  const Access access;
  asio::io_context io{1};
  Deadlines deadlines{io};
  Scratch scratch;
  wire::Rewriter rewriter{options.policy};
  std::vector<asio::const_buffer> pieces;  // of the write being put together; empty between two
  UpstreamPool pool{deadlines, options.max_idle_upstreams, std::chrono::seconds(60)};
  bool stopping = false;           // finish what is in flight
  bool aborting = false;           // give up what is in flight
  bool upstream_reported = false;  // its failure stands in the log already
};

}  // namespace tare::server
