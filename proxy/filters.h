// The subcommands of tare-proxy that are plain filters from stdin to stdout: compact and expand.
#pragma once

#include "common/error.h"

namespace CLI {
class App;
}

namespace tare {

// Adds `compact` and `expand` to `app`. The one that is called leaves its outcome in `outcome`,
// which must live as long as `app`. Text is any bytes. Errors: io, invalid.
void add_filters(CLI::App& app, Result<void>& outcome);

}  // namespace tare
