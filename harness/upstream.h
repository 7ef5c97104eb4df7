// The scripted upstream: a small HTTP server on loopback that keeps what it receives and answers a
// small, fixed reply, in the shape of the API whose path was asked, with an id, on which requests
// and receipts are joined (arms retry). It never sees which arm sent. Every method and path gets
// status 200; a body that asks for "stream":true gets the same answer as server-sent events.
// take(), cpu_us() and gone() may be called from the client's thread while the server runs.
// Destroying it closes every connection and joins its threads.
//
// It is tuned so that it adds nothing that would be billed to an arm: TCP_NODELAY, one write a
// reply, connections kept without limit, a backlog of 1024, a thread a connection.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/clock.h"
#include "common/error.h"

namespace tare::harness {

struct Received {
  std::int64_t upstream_request = 0;  // the id in the reply: 1, 2, 3, ...
  std::int64_t time_ns = 0;           // when the whole body had come
  std::string method;
  std::string path;
  std::vector<std::pair<std::string, std::string>> headers;  // of interest; never credentials
  std::string body;                                          // as received
  int status = 200;
  std::string reply;  // the body sent back
};

class Upstream {
 public:
  virtual ~Upstream() = default;
  virtual const std::string& url() const = 0;  // "http://127.0.0.1:PORT"
  // What came since the last call, in order.
  virtual std::vector<Received> take() = 0;
  // CPU used by the server's own threads so far, from their per-thread clocks.
  virtual std::int64_t cpu_us() const = 0;
  // One line once it no longer takes connections.
  virtual std::optional<std::string> gone() const = 0;
};

// `last_request`: the highest id that was given before, when a run goes on.
Result<std::unique_ptr<Upstream>> start_upstream(Clock& clock, std::int64_t last_request = 0);

// The id in a reply of the scripted upstream, also where an arm has changed other bytes of it.
std::optional<std::int64_t> upstream_request_of(std::string_view reply);

}  // namespace tare::harness
