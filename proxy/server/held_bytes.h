// How much of the clients' bodies is held in memory at a time, by all event loops together.
//
// May be used from several threads; a HeldShare belongs to one.
#pragma once

#include <atomic>
#include <cstddef>

namespace tare::server {

class HeldBytes {
 public:
  explicit HeldBytes(std::size_t limit) : limit_(limit) {}

  // False when that would be too many: then nothing is taken.
  bool take(std::size_t count) {
    if (held_.fetch_add(count, std::memory_order_relaxed) + count <= limit_) return true;
    give_back(count);
    return false;
  }
  void give_back(std::size_t count) { held_.fetch_sub(count, std::memory_order_relaxed); }
  std::size_t count() const { return held_.load(std::memory_order_relaxed); }

 private:
  const std::size_t limit_;
  std::atomic<std::size_t> held_ = 0;
};

// What one request holds, until it is destroyed.
class HeldShare {
 public:
  explicit HeldShare(HeldBytes& all) : all_(all) {}
  ~HeldShare() { all_.give_back(bytes_); }
  HeldShare(const HeldShare&) = delete;
  HeldShare& operator=(const HeldShare&) = delete;

  // False when there is no room for that: then the share stays as it is.
  bool grow_to(std::size_t bytes) {
    if (bytes <= bytes_) return true;
    if (!all_.take(bytes - bytes_)) return false;
    bytes_ = bytes;
    return true;
  }
  void clear() {
    all_.give_back(bytes_);
    bytes_ = 0;
  }

 private:
  HeldBytes& all_;
  std::size_t bytes_ = 0;
};

}  // namespace tare::server
