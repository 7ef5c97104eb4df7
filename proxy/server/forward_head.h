// The heads that are sent on: the other side's fields in their order and spelling, without what
// belongs to one hop.
//
// Left out (RFC 9110, 7.6.1): Connection and the fields it names, Keep-Alive, Proxy-Connection, TE,
// Upgrade, Proxy-Authenticate, Proxy-Authorization; what is meant for the proxy alone (access.h);
// Transfer-Encoding, since each side frames the body anew; a response's Trailer when no trailers
// can follow. The Upgrade of a 426 stays. Host becomes the upstream's. Via fields are passed on and
// none is added: servers are known to answer otherwise (uncompressed) when they see one, and a
// measured proxy should not change the answer. Pure functions; may be called from several threads.
#pragma once

#include <cstddef>
#include <string>

#include "proxy/server/access.h"
#include "proxy/server/message.h"
#include "proxy/server/upstream_url.h"

namespace tare::server {

// What is passed on of what else belongs to one hop.
struct Hop {
  bool keep_expect = false;  // the client's Expect is the upstream's to answer
  bool upgrade = false;      // the request to speak WebSocket, without its extensions
};

// A request head that lacks its framing: a body may have to be collected before its length is
// known.
class ForwardHead {
 public:
  ForwardHead(const RequestHead& head, const UpstreamUrl& upstream, const Access& access, Hop hop);

  // The whole head with its empty line.
  std::string with(Framing framing) const;

 private:
  std::string text_;
  std::size_t framing_at_ = 0;  // where the client had its length
  std::string length_name_ = "Content-Length";
};

// Whether the client asks to go on in WebSocket.
bool asks_for_websocket(const RequestHead& head);

// Appends the head for the client. `close`: tell it that the connection ends with this response.
void append_response_head(std::string& out, const ResponseHead& head, Framing framing, bool close);

}  // namespace tare::server
