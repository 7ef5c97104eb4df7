// The one place where a connection's coroutine sleeps.
//
// A connection is one coroutine that does all it can without blocking and then sleeps until
// something it cares for has changed: a socket is ready, a deadline has passed, the server stops.
// Whatever changed calls wake(); the coroutine then looks at the state itself, so a wake too many
// does no harm and none is lost. Used from the event loop's thread only.
#pragma once

#include <optional>

#include "proxy/server/asio.h"

namespace tare::server {

class Wakeable {
 public:
  virtual void wake() = 0;

 protected:
  ~Wakeable() = default;
};

class Waiter final : public Wakeable {
 public:
  // Returns at the next wake(), or at once when there was one since the last sleep.
  Await<> sleep() {
    if (!woken_) {
      co_await asio::async_initiate<const asio::use_awaitable_t<Executor>, void()>(
          [this](Handler&& handler) { sleeper_.emplace(std::move(handler)); }, use_await);
    }
    woken_ = false;
  }

  // Resumes the sleeper before it returns; the caller must not rely on what the sleeper owns
  // afterwards.
  void wake() override {
    woken_ = true;
    if (!sleeper_) return;
    Handler handler = std::move(*sleeper_);
    sleeper_.reset();
    std::move(handler)();
  }

 private:
  using Handler = asio::async_result<asio::use_awaitable_t<Executor>, void()>::handler_type;
  std::optional<Handler> sleeper_;
  bool woken_ = false;
};

}  // namespace tare::server
