// A TCP connection, perhaps with TLS on top, that is read and written without blocking, and says
// when it can go on.
//
// read() and write() move what can be moved now. When that is nothing, the owner is woken as soon
// as there is more; while the stream knows that it must wait, read() and write() cost no system
// call. Owned by shared_ptr, since an operation of the event loop may still refer to it; the owner
// is told nothing more once it has been changed or cleared.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "proxy/server/asio.h"
#include "proxy/server/tls.h"
#include "proxy/server/waiter.h"

namespace tare::server {

enum class Flow {
  moved,    // some bytes
  blocked,  // nothing now; the owner will be woken
  ended,    // the peer has closed its direction in order
  failed,   // the connection is broken
};

struct Moved {
  Flow flow = Flow::blocked;
  std::size_t bytes = 0;
};

class Stream : public std::enable_shared_from_this<Stream> {
 public:
  // Takes an open socket. Sets it to non-blocking and switches Nagle's delay off.
  explicit Stream(Socket socket);

  void set_owner(Wakeable* owner) { owner_ = owner; }

  Moved read(std::span<char> into);
  Moved write(std::span<const asio::const_buffer> pieces);

  // Wakes the owner when there is something to read, the end included.
  void watch();

  // Whether nothing has come, neither bytes nor an end. Asks the system, whatever the loop has been
  // told. What TLS says to itself (session tickets) is nothing.
  bool is_silent();

  // Starts to connect; the owner is woken when connecting() has become false. Then connect_error()
  // is the outcome.
  void connect(const Tcp::endpoint& to);
  bool connecting() const { return connecting_ && write_armed_; }
  error_code connect_error();

  // TLS as a client, over a connection that is there. handshake() moves it on: moved when it is
  // complete; failed: tls_fault() says why. Nothing is read or written before.
  void start_tls(const TlsContext& context, const std::string& host);
  Flow handshake();
  std::string tls_fault() const { return tls_->fault(); }

  // Says to the peer that nothing more follows; reading goes on.
  void end_sending();
  void close();
  // Closes so that the peer sees a broken connection, never an orderly end.
  void reset();

 private:
  Moved read_tls(std::span<char> into);
  Moved write_tls(std::span<const asio::const_buffer> pieces);
  // Waits for what the channel wants; the flow when it wants nothing.
  Flow wait_for(TlsChannel::State state);
  void arm_read();
  void arm_write();

  Socket socket_;
  std::unique_ptr<TlsChannel> tls_;  // null: not encrypted
  Wakeable* owner_ = nullptr;
  bool read_armed_ = false;
  bool write_armed_ = false;
  bool connecting_ = false;
  int connect_failure_ = 0;  // errno of a connect that failed at once
};

}  // namespace tare::server
