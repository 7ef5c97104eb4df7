// Holds back the signals that ask a program to end, so that what it has started is ended first.
#pragma once

#include <signal.h>

namespace tare {

// While it lives, SIGINT, SIGTERM and SIGHUP wait for its thread and for the threads that this one
// starts; what came is then delivered as ever. Belongs to one thread; may stand within another one.
// A program with several threads makes it before it starts them: a signal takes any thread that
// lets it in.
class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  // Whether one waits that is not ignored. May be asked from any of those threads.
  static bool came();

 private:
  sigset_t before_{};
};

}  // namespace tare
