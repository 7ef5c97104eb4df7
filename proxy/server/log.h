// What an operator should know, a line at a time on stderr, as logfmt or JSON. Nothing that a
// client or an upstream has sent goes in. May be used from several threads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tare::server {

enum class LogFormat : std::uint8_t { logfmt, json };
enum class LogLevel : std::uint8_t { info, warning, error };

// `now_ms`: milliseconds since 1970. Ends in a line feed.
std::string log_line(LogFormat format, LogLevel level, std::string_view message,
                     std::int64_t now_ms);

// Writes the line at once and whole.
void write_log(LogFormat format, LogLevel level, std::string_view message);

}  // namespace tare::server
