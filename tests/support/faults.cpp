// Linked to the sources of tare, this makes the program tare-with-faults, to which happens what a
// test cannot do from outside:
//
//   TARE_FAULT_UPSTREAM_MS=N         N ms after its start the scripted upstream's sockets are shut
//                                    down, as those of a server that was killed
//   TARE_FAULT_CLOCK_STEP_MS=N,STEP  from then on the wall clock shows STEP ms more
//
// The clock is put in place of the machine's by the linker (--wrap): tare itself knows of none of
// this.
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "common/clock.h"

tare::Clock& real_system_clock() asm("__real__ZN4tare12system_clockEv");
tare::Clock& wrapped_system_clock() asm("__wrap__ZN4tare12system_clockEv");

namespace {

constexpr std::int64_t ns_per_ms = 1'000'000;

const std::int64_t started_ns = real_system_clock().monotonic_ns();

std::int64_t since_start_ms() {
  return (real_system_clock().monotonic_ns() - started_ns) / ns_per_ms;
}

class SteppedClock final : public tare::Clock {
 public:
  SteppedClock() {
    const char* text = std::getenv("TARE_FAULT_CLOCK_STEP_MS");
    if (text == nullptr) return;
    char* end = nullptr;
    at_ms_ = std::strtoll(text, &end, 10);
    if (*end == ',') step_ns_ = std::strtoll(end + 1, nullptr, 10) * ns_per_ms;
  }
  std::int64_t monotonic_ns() const override { return real_system_clock().monotonic_ns(); }
  std::int64_t wall_ns() const override {
    return real_system_clock().wall_ns() + (since_start_ms() >= at_ms_ ? step_ns_ : 0);
  }
  void sleep_until_ns(std::int64_t time_ns) override {
    real_system_clock().sleep_until_ns(time_ns);
  }

 private:
  std::int64_t at_ms_ = 0;
  std::int64_t step_ns_ = 0;
};

std::vector<int> sockets() {
  std::vector<int> found;
  std::error_code e;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", e)) {
    const auto target = std::filesystem::read_symlink(entry.path(), e);
    if (target.string().starts_with("socket:")) {
      found.push_back(std::atoi(entry.path().filename().c_str()));
    }
  }
  return found;
}

in_port_t port_of(int fd) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  const bool is_inet = ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0 &&
                       address.sin_family == AF_INET;
  return is_inet ? address.sin_port : in_port_t{0};
}

bool listens(int fd) {
  int is_listening = 0;
  socklen_t size = sizeof is_listening;
  return ::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &size) == 0 &&
         is_listening != 0;
}

// The only port on which this process listens is the upstream's. Whether there was one.
bool kill_upstream() {
  const auto all = sockets();
  for (const int listener : all) {
    const auto port = port_of(listener);
    if (port == 0 || !listens(listener)) continue;
    ::shutdown(listener, SHUT_RDWR);
    for (const int fd : all) {
      if (port_of(fd) == port) ::shutdown(fd, SHUT_RDWR);
    }
    return true;
  }
  return false;
}

const bool armed = [] {
  const char* text = std::getenv("TARE_FAULT_UPSTREAM_MS");
  if (text == nullptr) return false;
  std::thread([at_ms = std::strtoll(text, nullptr, 10)] {
    std::this_thread::sleep_for(std::chrono::milliseconds(at_ms));
    while (!kill_upstream()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }).detach();
  return true;
}();

}  // namespace

tare::Clock& wrapped_system_clock() {
  static SteppedClock clock;
  return clock;
}
