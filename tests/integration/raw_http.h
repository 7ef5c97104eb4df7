// An upstream on loopback that keeps every request as bytes and answers what it is told.
#pragma once

#include <list>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/sockets.h"

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

  std::string url() const { return listener_.url(); }
  void reply_to(const std::string& target, std::string reply);
  std::vector<RawRequest> requests() const;

 private:
  void accept_all();
  void serve(Peer& peer, int connection);

  Listener listener_;
  mutable std::mutex mutex_;
  std::map<std::string, std::string> replies_;
  std::vector<RawRequest> requests_;
  std::list<Peer> peers_;
  std::vector<std::thread> connections_;
  std::thread acceptor_;
};

}  // namespace tare::test
