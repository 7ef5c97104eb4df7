// The scripted upstream: a small HTTP server on loopback that keeps what it receives and answers a
// small, fixed reply with an id, on which requests and receipts are joined (arms retry). It never
// sees which arm sent. start() binds a port asked from the system. take() may be called from the
// client's thread while the server runs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
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
  // CPU used by the server's own threads so far.
  virtual std::int64_t cpu_us() const = 0;
};

Result<std::unique_ptr<Upstream>> start_upstream(Clock& clock);

}  // namespace tare::harness
