#include "harness/sampler.h"

#include <utility>

namespace tare::harness {

void Sampler::start(std::function<Reading()> read, std::chrono::milliseconds every) {
  stopping_ = false;
  thread_ = std::thread([this, read = std::move(read), every] {
    auto next = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex_);
    do {  // a start that ends at once has a reading too
      readings_.push_back(read());
      next += every;
      wake_.wait_until(lock, next, [this] { return stopping_; });
    } while (!stopping_);
  });
}

std::vector<Reading> Sampler::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
  return std::exchange(readings_, {});
}

}  // namespace tare::harness
