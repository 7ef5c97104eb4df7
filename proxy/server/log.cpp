#include "proxy/server/log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>

#include "proxy/server/quoted.h"

namespace tare::server {

namespace {

std::string_view name_of(LogLevel level) {
  constexpr std::array<std::string_view, 3> names = {"info", "warning", "error"};
  return names[static_cast<std::size_t>(level)];
}

}  // namespace

// Both formats quote alike.
std::string log_line(LogFormat format, LogLevel level, std::string_view message,
                     std::int64_t now_ms) {
  const std::time_t now_s = static_cast<std::time_t>(now_ms / 1000);
  const std::string time =
      fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(now_s), now_ms % 1000);
  if (format == LogFormat::json) {
    return fmt::format("{{\"time\":\"{}\",\"level\":\"{}\",\"msg\":{}}}\n", time, name_of(level),
                       quoted(message));
  }
  return fmt::format("time={} level={} msg={}\n", time, name_of(level), quoted(message));
}

void write_log(LogFormat format, LogLevel level, std::string_view message) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::string line = log_line(
      format, level, message, std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace tare::server
