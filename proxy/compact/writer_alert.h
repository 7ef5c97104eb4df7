// Lines that look like failures: a reader must find them as they are.
#pragma once

#include <string_view>

namespace tare::compact {

// True when a whole word of the line, in any case, is one of: critical, denied, error(s),
// exception, fail, failed, failure, fatal, panic, traceback, warn, warning.
bool is_alert(std::string_view line);

}  // namespace tare::compact
