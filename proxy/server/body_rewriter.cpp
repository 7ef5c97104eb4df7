#include "proxy/server/body_rewriter.h"

#include <utility>

#include "proxy/server/block_signals.h"

namespace tare::server {

namespace {

// What `rewrite` makes of the decoded body, in the body's own coding.
template <typename Rewrite>
wire::Rewritten rewrite_coded(wire::Coding coding, std::string_view body,
                              const wire::MayGrow& may_grow, Rewrite rewrite) {
  if (coding == wire::Coding::identity) return rewrite(body);
  const auto text = wire::decode(coding, body, may_grow);
  if (!text) return {};
  wire::Rewritten result = rewrite(*text);
  if (result.body.empty()) return result;
  auto encoded = wire::encode(coding, result.body);
  if (!encoded) return {};
  result.body = std::move(*encoded);
  return result;
}

}  // namespace

BodyRewriter::BodyRewriter(const wire::Policy& policy, Limits limits, Post post, GivenUp given_up)
    : policy_(policy),
      limits_(limits),
      post_(std::move(post)),
      given_up_(std::move(given_up)),
      rewriter_(policy) {}

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

std::optional<wire::Rewritten> BodyRewriter::rewrite_now(std::string_view target,
                                                         wire::Coding coding,
                                                         std::string_view body) {
  bool is_large = false;
  const auto stays_small = [&](std::size_t bytes) {
    is_large = bytes > small_body_bytes;
    return !is_large;
  };
  auto result = rewrite_coded(coding, body, stays_small, [&](std::string_view text) {
    return unfinished_ == 0 ? rewriter_.rewrite(target, text)
                            : wire::rewrite(target, text, policy_);
  });
  if (is_large) return std::nullopt;
  return result;
}

std::shared_ptr<RewriteJob> BodyRewriter::start(std::string target, wire::Coding coding,
                                                std::string body, std::function<void()> on_done) {
  auto job = std::make_shared<RewriteJob>(limits_.held);
  job->target = std::move(target);
  job->coding = coding;
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
  block_signals();
  while (auto job = next()) {
    const auto may_grow = [&](std::size_t bytes) {
      return bytes / 2 <= limits_.max_body_bytes && !job->stop.stop_requested() &&
             job->decoded.grow_to(bytes);
    };
    job->result = rewrite_coded(job->coding, job->body, may_grow, [&](std::string_view text) {
      if (text.size() > limits_.max_body_bytes) return wire::Rewritten{};
      return rewriter_.rewrite(job->target, text, job->stop.get_token());
    });
    {
      const std::lock_guard lock(mutex_);
      current_.reset();
    }
    post_([this, job = std::move(job)] {
      --unfinished_;
      if (job->result.given_up) given_up_();
      if (!job->on_done) return;
      job->done = true;
      std::exchange(job->on_done, nullptr)();
    });
  }
}

// Waits for a job; null at the end.
std::shared_ptr<RewriteJob> BodyRewriter::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return ending_ || !queue_.empty(); });
  if (ending_) return nullptr;
  current_ = std::move(queue_.front());
  queue_.pop_front();
  return current_;
}

}  // namespace tare::server
