#include "common/clock.h"

#include <cerrno>
#include <ctime>

namespace tare {
namespace {

constexpr std::int64_t ns_per_s = 1'000'000'000;

std::int64_t now_ns(clockid_t id) {
  timespec t{};
  clock_gettime(id, &t);
  return std::int64_t{t.tv_sec} * ns_per_s + t.tv_nsec;
}

class SystemClock final : public Clock {
 public:
  std::int64_t monotonic_ns() const override { return now_ns(CLOCK_MONOTONIC); }
  std::int64_t wall_ns() const override { return now_ns(CLOCK_REALTIME); }
  void sleep_until_ns(std::int64_t time_ns) override {
    const timespec t{.tv_sec = time_ns / ns_per_s, .tv_nsec = time_ns % ns_per_s};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr) == EINTR) {
    }
  }
};

}  // namespace

Clock& system_clock() {
  static SystemClock clock;
  return clock;
}

std::string iso8601(std::int64_t wall_ns) {
  const std::time_t seconds = wall_ns / ns_per_s;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  const auto length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return std::string(text, length);
}

}  // namespace tare
