// A real tare-proxy between two bare sockets, for tests that say which bytes go where and when.
//
// The test is client and upstream at once: the proxy is another process, so a test is a plain
// sequence (client sends, upstream reads, upstream answers, client reads) and needs no threads and
// no waiting. Each read gives up after a long silence and fails the test then.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/subprocess.h"

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
  // All that comes until the other side closes. A reset ends it too: see was_reset().
  std::string read_to_end();
  bool was_reset() const { return reset_; }
  // A head, and a body as long as its Content-Length.
  std::string read_message();
  // The body of a chunked message whose head has been read, up to its last chunk; trailers are put
  // behind it.
  std::string read_chunked();

  void end_sending();
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
  Listener();
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  Peer accept();
  // Whether a connection waits to be accepted.
  bool has_waiting() const;
  std::string url() const;
  std::string authority() const { return url().substr(7); }

 private:
  int socket_;
};

// `tare-proxy serve` on a free port.
class Proxy {
 public:
  explicit Proxy(const std::string& upstream, const std::vector<std::string>& options = {});
  ~Proxy();

  const std::string& url() const { return url_; }
  Peer connect() const { return Peer::connect_to(url_); }
  Subprocess& process() { return process_; }
  // What it has written to stderr so far.
  std::string log() const;

 private:
  static int open_log();
  Subprocess start(const std::string& upstream, const std::vector<std::string>& options);

  int log_ = open_log();
  int output_ = -1;  // its stdout
  Subprocess process_;
  std::string url_;
};

// A whole request with a Host and, when there is a body, its length. `fields` are lines that end in
// CR LF.
std::string request(std::string_view method, std::string_view target, std::string_view body = {},
                    std::string_view fields = {});
std::string post(std::string_view target, std::string_view body, std::string_view fields = {});
std::string reply(std::string_view body, std::string_view status = "200 OK");

std::string head_of(const std::string& message);
std::string body_of(const std::string& message);

}  // namespace tare::test
