// Keeps the signals of the process from the calling thread.
#pragma once

#include <csignal>

namespace tare::server {

inline void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

}  // namespace tare::server
