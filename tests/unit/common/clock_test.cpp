#include "common/clock.h"

#include <catch2/catch.hpp>

namespace tare {

TEST_CASE("the monotonic clock never goes back") {
  auto& clock = system_clock();
  for (std::int64_t last = 0, i = 0; i < 1000; ++i) {
    const auto now = clock.monotonic_ns();
    REQUIRE(now >= last);
    last = now;
  }
}

TEST_CASE("a sleep ends no earlier than asked, and at once when the time has gone by") {
  auto& clock = system_clock();
  const auto until = clock.monotonic_ns() + 3'000'000;
  clock.sleep_until_ns(until);
  CHECK(clock.monotonic_ns() >= until);
  clock.sleep_until_ns(1);
}

TEST_CASE("a wall-clock time is written as UTC, whole seconds") {
  CHECK(iso8601(0) == "1970-01-01T00:00:00Z");
  CHECK(iso8601(1'800'000'000'999'999'999) == "2027-01-15T08:00:00Z");
  CHECK(iso8601(system_clock().wall_ns()) > "2024-");
}

}  // namespace tare
