// Keep-alive connections to the upstream that no request uses at the moment.
//
// Each is watched: one that the upstream closes, or that says anything unasked, is dropped at once,
// so that a request seldom gets a dead one. Bounded in number and age; the last one given back is
// the first one taken.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "proxy/server/deadlines.h"
#include "proxy/server/stream.h"

namespace tare::server {

class UpstreamPool {
 public:
  UpstreamPool(Deadlines& deadlines, std::size_t max_idle, Clock::duration max_idle_age);
  ~UpstreamPool();

  // Nothing when there is none: connect.
  std::shared_ptr<Stream> take();
  void give_back(std::shared_ptr<Stream> stream);
  void clear();

 private:
  class Idle;
  void drop(Idle& idle);

  Deadlines& deadlines_;
  std::size_t max_idle_;
  Clock::duration max_idle_age_;
  std::vector<std::unique_ptr<Idle>> idle_;
};

}  // namespace tare::server
