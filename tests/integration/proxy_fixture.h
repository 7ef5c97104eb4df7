// A real tare-proxy between two bare sockets, for tests that say which bytes go where and when.
//
// The test is client and upstream at once: the proxy is another process, so a test is a plain
// sequence (client sends, upstream reads, upstream answers, client reads) and needs no threads and
// no waiting.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/subprocess.h"
#include "tests/support/sockets.h"

namespace tare::test {

// `tare-proxy serve` on a free port.
class Proxy {
 public:
  // `handed_over`: the socket that it is to accept clients on, which stays open without it.
  explicit Proxy(const std::string& upstream, const std::vector<std::string>& options = {},
                 const Listener* handed_over = nullptr);
  ~Proxy();

  const std::string& url() const { return url_; }
  Peer connect() const { return Peer::connect_to(url_); }
  Subprocess& process() { return process_; }
  // What it has written to stderr so far.
  std::string log() const;

 private:
  static int open_log();
  Subprocess start(const std::string& upstream, const std::vector<std::string>& options,
                   const Listener* handed_over);

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
