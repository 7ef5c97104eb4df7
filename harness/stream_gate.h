// Whether something that forwards passes a stream on as it comes: an upstream of its own sends the
// first event of a reply and holds the rest back until the client has got that event. Nothing is
// timed; a forwarder that collects replies makes the gate give up. Used by one thread.
#pragma once

#include <memory>
#include <string>

#include "common/error.h"

namespace tare::harness {

class StreamGate {
 public:
  virtual ~StreamGate() = default;
  virtual const std::string& url() const = 0;  // of the upstream: "http://127.0.0.1:PORT"
  // POSTs a request for a stream to base_url + path, which leads to url(), by way of a forward
  // proxy unless that is empty. Errors: io (no answer), timed_out (the first event did not come
  // before the end), invalid (not the bytes that were sent).
  virtual Result<void> pass(const std::string& base_url, const std::string& path,
                            const std::string& proxy = {}) = 0;
};

Result<std::unique_ptr<StreamGate>> open_stream_gate();

}  // namespace tare::harness
