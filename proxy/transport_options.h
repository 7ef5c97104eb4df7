// The options of `serve` that say how requests and responses are carried: who may send them, and
// the limits of size and time.
#pragma once

#include <string>

#include "common/error.h"
#include "proxy/server/server.h"

namespace CLI {
class App;
}

namespace tare {

// As the command line has them; finish() makes of them what the server takes.
struct ServeArguments {
  server::ServeOptions options;
  std::string token_file;

  // Reads what the arguments name: the token's file, or TARE_TOKEN. Errors: usage, io.
  Result<void> finish();
};

// `arguments` must live as long as `command`.
void add_transport_options(CLI::App& command, ServeArguments& arguments);

}  // namespace tare
