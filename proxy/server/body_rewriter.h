// Rewrites the request bodies of one event loop: small ones at once, large ones on a thread beside
// it, so that the streams of others go on meanwhile and a client that leaves ends the work.
//
// Used from the event loop's thread only. There is one cache of forms: while the thread has it, a
// small body is rewritten without (the bytes are the same, only the time differs). The thread is
// started with the first large body.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "proxy/server/held_bytes.h"
#include "proxy/wire/coding.h"
#include "proxy/wire/rewriter.h"

namespace tare::server {

// A large body that is being rewritten.
struct RewriteJob {
  explicit RewriteJob(HeldBytes& held) : decoded(held) {}

  std::string target;
  wire::Coding coding = wire::Coding::identity;
  std::string body;        // as the client sent it
  HeldShare decoded;       // for what the coding hides
  wire::Rewritten result;  // valid when done; its body is in the client's coding
  bool done = false;

  // The result is not wanted any more: done stays false and nobody is told.
  void cancel() {
    on_done = nullptr;
    stop.request_stop();
  }

  std::function<void()> on_done;
  std::stop_source stop;
};

class BodyRewriter {
 public:
  // A body up to this length is rewritten at once: that takes less than other clients notice.
  static constexpr std::size_t small_body_bytes = std::size_t{64} << 10;

  // `post` has a function called on the event loop's thread soon; it may be called from another
  // thread.
  using Post = std::function<void(std::function<void()>)>;

  struct Limits {
    std::size_t max_body_bytes;  // decoded
    HeldBytes& held;
  };
  // Called on the event loop's thread when work on a cancelled job has ended before it was done.
  using GivenUp = std::function<void()>;

  BodyRewriter(const wire::Policy& policy, Limits limits, Post post, GivenUp given_up = [] {});
  // Gives up what is not done.
  ~BodyRewriter();
  BodyRewriter(const BodyRewriter&) = delete;
  BodyRewriter& operator=(const BodyRewriter&) = delete;

  // The result's body is in the client's coding; it is empty when nothing was changed, or the body
  // cannot be decoded. Nothing: decoded it is not small, start a job.
  std::optional<wire::Rewritten> rewrite_now(std::string_view target, wire::Coding coding,
                                             std::string_view body);
  // `on_done` is called on the event loop's thread, unless the job is cancelled before.
  std::shared_ptr<RewriteJob> start(std::string target, wire::Coding coding, std::string body,
                                    std::function<void()> on_done);

 private:
  void work();
  std::shared_ptr<RewriteJob> next();

  const wire::Policy& policy_;
  const Limits limits_;
  Post post_;
  GivenUp given_up_;
  wire::Rewriter rewriter_;     // the thread's while unfinished_ > 0, else the event loop's
  std::size_t unfinished_ = 0;  // jobs that were started; of the event loop's thread

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<RewriteJob>> queue_;
  std::shared_ptr<RewriteJob> current_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace tare::server
