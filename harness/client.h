// The client: one request at a time over a kept connection, as an agent's would be. Belongs to one
// thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/clock.h"

namespace tare::harness {

struct Exchange {
  std::int64_t sent_ns = 0;
  std::optional<std::int64_t> first_byte_ns;
  std::optional<std::int64_t> last_byte_ns;
  std::optional<int> status;
  std::string reply;
  std::optional<std::string> error;  // one line; absent when a whole response came
  bool timed_out = false;            // the error is the time limit
};

class Client {
 public:
  virtual ~Client() = default;
  // From here on by way of this forward proxy ("http://127.0.0.1:PORT"), with absolute-form
  // targets.
  virtual void use_proxy(const std::string& url) = 0;
  // POSTs `body` as application/json with a plain bearer token.
  virtual Exchange post(const std::string& url, std::string_view body, int time_limit_s) = 0;
};

// libcurl; a new Client has no connection: make one for each start. A request under way ends with
// an error about a second after `interrupt` becomes other than 0.
std::unique_ptr<Client> make_client(Clock& clock, const std::atomic<int>& interrupt);

// The same with these header lines in place of the plain bearer token.
std::unique_ptr<Client> make_client(Clock& clock, const std::atomic<int>& interrupt,
                                    const std::vector<std::string>& headers);

}  // namespace tare::harness
