// Bare sockets on loopback, for tests that say which bytes go where and when.
//
// Each read gives up after a long silence: it throws then, which fails the test.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tare::test {

// One end of a TCP connection on loopback.
class Peer {
 public:
  explicit Peer(int socket);
  ~Peer();
  Peer(Peer&& other) noexcept;
  Peer& operator=(Peer&&) = delete;

  // "http://127.0.0.1:PORT"
  static Peer connect_to(const std::string& url);

  // False when the connection is broken.
  bool send(std::string_view bytes);
  // Sends zeroes until the other side takes no more, `limit_bytes` at most; how many it took.
  std::size_t send_until_stopped(std::size_t limit_bytes);
  // Up to and with `end`, or what came before the connection ended.
  std::string read_until(std::string_view end);
  std::string read_head() { return read_until("\r\n\r\n"); }
  std::string read_bytes(std::size_t count);
  // What comes next, as one read gives it; empty at the end of the connection.
  std::string read_some();
  // All that comes until the other side closes. A reset ends it too: see was_reset().
  std::string read_to_end();
  bool was_reset() const { return reset_; }
  // A head, and a body as long as its Content-Length.
  std::string read_message();
  // Sends a whole request and reads the message that answers it.
  std::string exchange(std::string_view request);
  // The body of a chunked message whose head has been read, up to its last chunk; trailers are put
  // behind it.
  std::string read_chunked();

  void end_sending();
  // Ends both directions; may be called while another thread reads.
  void shutdown();
  void close();
  // Closes so that the other side sees a reset.
  void reset();

 private:
  bool receive();

  int socket_;
  std::string buffer_;
  bool reset_ = false;
};

// A listening socket on a free port.
class Listener {
 public:
  explicit Listener(int backlog = 128);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  Peer accept();
  // The same without giving up; nothing once it is shut down by another thread.
  std::optional<Peer> accept_or_end();
  void shutdown();
  // Whether a connection waits to be accepted.
  bool has_waiting() const;
  std::string url() const;
  std::string authority() const { return url().substr(7); }
  int descriptor() const { return socket_; }

 private:
  int socket_;
};

// How long the body is that the head announces by Content-Length.
std::size_t content_length(const std::string& head);

}  // namespace tare::test
