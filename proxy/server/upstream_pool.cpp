#include "proxy/server/upstream_pool.h"

#include <algorithm>

namespace tare::server {

class UpstreamPool::Idle final : public Wakeable {
 public:
  Idle(UpstreamPool& pool, std::shared_ptr<Stream> stream)
      : pool_(pool), stream_(std::move(stream)), deadline_(pool.deadlines_, *this) {
    stream_->set_owner(this);
    stream_->watch();
    deadline_.set(pool.max_idle_age_);
  }
  ~Idle() {
    if (stream_) stream_->close();
  }

  // It has been closed, has spoken unasked, or is too old: that ends this object. What TLS says to
  // itself (session tickets) is no reason.
  void wake() override {
    char unasked = 0;
    if (!deadline_.expired() && stream_->read({&unasked, 1}).flow == Flow::blocked) return;
    pool_.drop(*this);
  }

  bool is_silent() { return stream_->is_silent(); }

  std::shared_ptr<Stream> release() {
    stream_->set_owner(nullptr);
    return std::move(stream_);
  }

 private:
  UpstreamPool& pool_;
  std::shared_ptr<Stream> stream_;
  Deadline deadline_;
};

UpstreamPool::UpstreamPool(Deadlines& deadlines, std::size_t max_idle, Clock::duration max_idle_age)
    : deadlines_(deadlines), max_idle_(max_idle), max_idle_age_(max_idle_age) {}

UpstreamPool::~UpstreamPool() = default;

std::shared_ptr<Stream> UpstreamPool::take() {
  while (!idle_.empty()) {
    const auto last = std::move(idle_.back());
    idle_.pop_back();
    // A close or a word unasked may have come since the loop last looked.
    if (last->is_silent()) return last->release();
  }
  return nullptr;
}

void UpstreamPool::give_back(std::shared_ptr<Stream> stream) {
  if (idle_.size() >= max_idle_) idle_.erase(idle_.begin());
  idle_.push_back(std::make_unique<Idle>(*this, std::move(stream)));
}

void UpstreamPool::clear() {
  idle_.clear();
}

void UpstreamPool::drop(Idle& idle) {
  std::erase_if(idle_, [&](const auto& other) { return other.get() == &idle; });
}

}  // namespace tare::server
