// The subcommand of tare-proxy that runs the server.
#pragma once

#include "common/error.h"

namespace CLI {
class App;
}

namespace tare {

// Adds `serve` to `app`. When called it serves until it is asked to stop and leaves its outcome in
// `outcome`, which must live as long as `app`. Errors: usage, io.
void add_serve(CLI::App& app, Result<void>& outcome);

}  // namespace tare
