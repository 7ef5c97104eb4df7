#include "proxy/server/deadlines.h"

#include <algorithm>

namespace tare::server {

Deadline::Deadline(Deadlines& all, Wakeable& owner) : all_(all), owner_(owner) {
  all_.list_.push_back(*this);
}

void Deadline::set(Clock::duration after) {
  at_ = Clock::now() + after;
  if (at_ < all_.armed_for_) all_.arm(at_);
}

void Deadlines::stop() {
  stopped_ = true;
  timer_.cancel();
}

void Deadlines::arm(Clock::time_point at) {
  if (stopped_) return;
  armed_for_ = at;
  timer_.expires_at(at);
  timer_.async_wait([this](error_code failure) {
    if (!failure) fire();
  });
}

void Deadlines::fire() {
  const auto now = Clock::now();
  // Waking an owner may end others: those that are due move to a list of their own, from which the
  // ended unlink themselves.
  List due;
  auto next = Clock::time_point::max();
  for (auto it = list_.begin(); it != list_.end();) {
    Deadline& deadline = *it++;
    if (deadline.at_ <= now) {
      list_.erase(list_.iterator_to(deadline));
      due.push_back(deadline);
    } else {
      next = std::min(next, deadline.at_);
    }
  }
  armed_for_ = Clock::time_point::max();
  if (next != Clock::time_point::max()) arm(next);
  while (!due.empty()) {
    Deadline& deadline = due.front();
    due.pop_front();
    list_.push_back(deadline);
    deadline.owner_.wake();
  }
}

}  // namespace tare::server
