// Who may use the proxy: any program of this machine by default, holders of a token elsewhere, and
// never a web page.
//
// A page that a browser shows can reach loopback: by a name of its own that it points there (DNS
// rebinding: a foreign Host), or as a request to another site (a foreign Origin). Both are refused.
// Immutable; may be used from several threads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/error.h"
#include "proxy/server/header_policy.h"

namespace tare::server {

struct AccessOptions {
  std::vector<std::string> hosts;  // names that Host and Origin may have besides loopback's
  std::string token;               // what a client has to show; empty: nothing
};

class Access {
 public:
  explicit Access(AccessOptions options) : options_(std::move(options)) {}

  // Nothing when the client may go on. Costs no allocation for a request of a local client.
  std::optional<Refusal> refuse(const RequestHead& head) const;

  // Whether a field is meant for the proxy alone, so that it must not reach the upstream. Any name
  // that begins with "x-tare-" is; of Authorization, what holds the proxy's own token.
  bool is_own(const Field& field) const;

 private:
  bool is_host(std::string_view authority) const;
  bool is_origin(std::string_view origin) const;
  bool is_token(std::string_view text) const;
  bool shows_token(const Field& field) const;

  AccessOptions options_;
};

// A token as a file or a variable holds it, without the blanks around it. Error: usage, for one
// that is too short to be secret or that a header cannot carry; it is not repeated. `source` names
// where it came from.
Result<std::string> parse_token(std::string_view text, std::string_view source);

// A listener on an address other than loopback needs a token and a host. Error: usage; `option`
// names what gave the address.
Result<void> check_exposure(bool loopback, const AccessOptions& options, std::string_view option);

}  // namespace tare::server
