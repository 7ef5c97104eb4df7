// The options that say how texts are compacted, the same for every subcommand that compacts.
#pragma once

#include "proxy/compact/compact.h"

namespace CLI {
class App;
}

namespace tare {

// Adds --level, --alerts and --min-bytes to `command`; `options` must live as long as it.
void add_compact_options(CLI::App& command, compact::Options& options);

}  // namespace tare
