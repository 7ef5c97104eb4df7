// Lines that look like failures: a reader must find them as they are.
#pragma once

#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

namespace tare::compact {

// True when a whole word of the line, in any case, is one of: critical, denied, error(s),
// exception, fail, failed, failure, fatal, panic, traceback, warn, warning.
bool is_alert(std::string_view line);

// Which of the lines are alerts. When they are more than a fifth they are nothing exceptional: then
// none is.
std::vector<bool> find_alerts(std::span<const std::string_view> lines, const std::stop_token& stop);

}  // namespace tare::compact
