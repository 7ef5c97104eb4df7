// Bare sockets on loopback, for tests that say which bytes must come and go.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace tare::test {

struct RawRequest {
  int connection = 0;  // 1, 2, ... in the order of acceptance
  std::string head;    // up to and with the empty line
  std::string body;    // by Content-Length

  bool has_line(const std::string& line) const;  // a whole header line
};

// Listens on a free port; answers each request with the reply set for its target, else with a small
// JSON object. A reply is the whole response, as bytes.
class RawUpstream {
 public:
  RawUpstream();
  ~RawUpstream();
  RawUpstream(const RawUpstream&) = delete;
  RawUpstream& operator=(const RawUpstream&) = delete;

  std::string url() const;
  void reply_to(const std::string& target, std::string reply);
  std::vector<RawRequest> requests() const;

 private:
  void accept_all();
  void serve(int socket, int connection);

  int listener_ = -1;
  int port_ = 0;
  mutable std::mutex mutex_;
  std::map<std::string, std::string> replies_;
  std::vector<RawRequest> requests_;
  std::vector<int> sockets_;
  std::vector<std::thread> connections_;
  std::thread acceptor_;
};

// A client's connection to "http://127.0.0.1:PORT".
class RawConnection {
 public:
  explicit RawConnection(const std::string& url);
  ~RawConnection();
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  // Sends the bytes and reads one response: its head, and a body as long as Content-Length says.
  std::string exchange(const std::string& request, bool has_body = true);

 private:
  int socket_ = -1;
};

}  // namespace tare::test
