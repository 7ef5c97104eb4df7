#include "proxy/compact/writer_alert.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string_view>
#include <vector>

#include "proxy/compact/writer_twins.h"

using tare::compact::are_few;
using tare::compact::find_alerts;
using tare::compact::find_twins;
using tare::compact::is_alert;

TEST_CASE("whole words of failure in any case are alerts") {
  for (const std::string_view line :
       {"error", "x ERROR: y", "[Warn]", "level=warning", "2 failed, 3 passed", "--- FAIL: TestX",
        "Traceback (most recent call last):", "permission denied", "panic", "a/error.log"}) {
    CAPTURE(line);
    CHECK(is_alert(line));
  }
}

TEST_CASE("parts of words are not") {
  for (const std::string_view line : {"", "terror", "errorless", "error_code", "E_ERROR",
                                      "failsafe", "pan ic", "warned", "éerror", "ok"}) {
    CAPTURE(line);
    CHECK_FALSE(is_alert(line));
  }
}

TEST_CASE("alerts that are more than a fifth are nothing exceptional") {
  std::vector<std::string_view> lines(20, "all is well");
  std::fill_n(lines.begin(), 4, "error: none");
  const auto count = [&] {
    const auto alerts = find_alerts(lines, find_twins(lines, {}), {});
    return static_cast<std::size_t>(std::count(alerts.begin(), alerts.end(), true));
  };
  CHECK(count() == 4);
  CHECK(are_few(count(), lines.size()));
  lines[4] = "error: none";
  CHECK(count() == 5);
  CHECK_FALSE(are_few(count(), lines.size()));
  CHECK(are_few(3, 4));
}
