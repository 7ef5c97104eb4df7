// The upstream of all load cases: one thread that answers each request with a small reply, or with
// a stream of events when its target asks for one.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>

namespace tare::load {

// "PATH?events=COUNT&every_ms=MS": the first event at once, the others one every MS milliseconds
// (0: all of them at once).
std::string stream_target(std::string_view path, int events, int every_ms);

class Upstream {
 public:
  Upstream();
  ~Upstream();
  Upstream(const Upstream&) = delete;
  Upstream& operator=(const Upstream&) = delete;

  const std::string& url() const { return url_; }

 private:
  class Loop;

  int listener_;
  int stop_;
  std::string url_;
  std::thread thread_;
};

}  // namespace tare::load
