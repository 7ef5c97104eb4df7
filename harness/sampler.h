// A time series of readings, taken by a thread of its own every so often.
//
// For StartedArm::sample(), which may be called beside the arm's owner; stop the sampler before the
// arm. The thread belongs to the harness: its CPU is outside the arm's cgroup. start() and stop()
// are called by one thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "harness/arm_process.h"

namespace tare::harness {

class Sampler {
 public:
  Sampler() = default;
  ~Sampler() { stop(); }
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  // Takes the first reading at once. Must not be running.
  void start(std::function<Reading()> read,
             std::chrono::milliseconds every = std::chrono::milliseconds(250));
  // Ends the thread and gives what it read, in order; empty when it was not running.
  std::vector<Reading> stop();

 private:
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::vector<Reading> readings_;
};

}  // namespace tare::harness
