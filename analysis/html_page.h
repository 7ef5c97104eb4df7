// The style and the script of the HTML report's one page: both stand in the page itself.
#pragma once

#include <string_view>

namespace tare::analysis::html {

extern const std::string_view style;
extern const std::string_view script;

}  // namespace tare::analysis::html
