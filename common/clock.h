// Time as a parameter: code that waits or stamps takes a Clock, so that its tests wait for nothing.
// Implementations may be used from several threads at once.
#pragma once

#include <cstdint>
#include <string>

namespace tare {

class Clock {
 public:
  virtual ~Clock() = default;
  // Nanoseconds of a clock that never goes back; only differences mean something.
  virtual std::int64_t monotonic_ns() const = 0;
  // Nanoseconds since 1970-01-01 UTC.
  virtual std::int64_t wall_ns() const = 0;
  // Returns at `monotonic_ns` or later.
  virtual void sleep_until_ns(std::int64_t monotonic_ns) = 0;
};

// The machine's clocks.
Clock& system_clock();

// "2026-11-30T12:00:00Z" of a wall-clock time.
std::string iso8601(std::int64_t wall_ns);

}  // namespace tare
