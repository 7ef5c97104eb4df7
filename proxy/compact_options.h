// The options that say how texts are compacted, the same for every subcommand that compacts.
#pragma once

#include "proxy/compact/compact.h"
#include "proxy/wire/policy.h"

namespace CLI {
class App;
}

namespace tare {

// Adds --level, --alerts and --min-bytes to `command`; `options` must live as long as it.
void add_compact_options(CLI::App& command, compact::Options& options);

// And those that say what is done with the outputs of a request: --verbatim-tool, --no-references.
void add_policy_options(CLI::App& command, wire::Policy& policy);

}  // namespace tare
