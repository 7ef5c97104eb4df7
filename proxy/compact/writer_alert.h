// Lines that look like failures: a reader must find them as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

namespace tare::compact {

// True when a whole word of the line, in any case, is one of: critical, denied, error(s),
// exception, fail, failed, failure, fatal, panic, traceback, warn, warning.
bool is_alert(std::string_view line);

// When more than a fifth of all lines are alerts they are nothing exceptional.
bool are_few(std::size_t alerts, std::size_t lines);

// Which of the lines are alerts. `twins`: of the lines (writer_twins.h).
std::vector<bool> find_alerts(std::span<const std::string_view> lines,
                              std::span<const std::uint32_t> twins, const std::stop_token& stop);

}  // namespace tare::compact
