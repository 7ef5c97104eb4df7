#include "proxy/server/body_rewriter.h"

#include <utility>

namespace tare::server {

BodyRewriter::BodyRewriter(const wire::Policy& policy, Post post)
    : policy_(policy), post_(std::move(post)), rewriter_(policy) {}

BodyRewriter::~BodyRewriter() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    queue_.clear();
    if (current_) current_->stop.request_stop();
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

wire::Rewritten BodyRewriter::rewrite_now(std::string_view target, std::string_view body) {
  return unfinished_ == 0 ? rewriter_.rewrite(target, body) : wire::rewrite(target, body, policy_);
}

std::shared_ptr<RewriteJob> BodyRewriter::start(std::string target, std::string body,
                                                std::function<void()> on_done) {
  auto job = std::make_shared<RewriteJob>();
  job->target = std::move(target);
  job->body = std::move(body);
  job->on_done = std::move(on_done);
  ++unfinished_;
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(job);
  }
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  changed_.notify_one();
  return job;
}

void BodyRewriter::work() {
  while (auto job = next()) {
    job->result = rewriter_.rewrite(job->target, job->body, job->stop.get_token());
    post_([this, job = std::move(job)] {
      --unfinished_;
      if (!job->on_done) return;
      job->done = true;
      std::exchange(job->on_done, nullptr)();
    });
  }
}

// Waits for a job; null at the end.
std::shared_ptr<RewriteJob> BodyRewriter::next() {
  std::unique_lock lock(mutex_);
  current_.reset();
  changed_.wait(lock, [&] { return ending_ || !queue_.empty(); });
  if (ending_) return nullptr;
  current_ = std::move(queue_.front());
  queue_.pop_front();
  return current_;
}

}  // namespace tare::server
