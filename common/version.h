// The version of this build, for --version, run folders and User-Agent-like places.
#pragma once

#include <string_view>

namespace tare {

// "0.1.0 (1a2b3c4d5e6f)": the release and the commit it was built from, "-dirty" when the tree had
// changes.
std::string_view version();

}  // namespace tare
