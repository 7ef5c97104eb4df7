#include "common/held_signals.h"

#include <algorithm>
#include <array>

namespace tare {
namespace {

constexpr std::array held{SIGINT, SIGTERM, SIGHUP};

// A blocked signal waits also when it is ignored, as SIGHUP under nohup is.
bool is_ignored(int number) {
  struct sigaction action{};
  return ::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

HeldSignals::HeldSignals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int number : held) ::sigaddset(&set, number);
  ::pthread_sigmask(SIG_BLOCK, &set, &before_);
}

HeldSignals::~HeldSignals() {
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool HeldSignals::came() {
  sigset_t pending;
  ::sigpending(&pending);
  return std::ranges::any_of(held, [&](int number) {
    return ::sigismember(&pending, number) == 1 && !is_ignored(number);
  });
}

}  // namespace tare
