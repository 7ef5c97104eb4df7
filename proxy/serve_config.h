// The options of `serve` from the environment and from a file.
//
// Each option --some-name is also the variable TARE_SOME_NAME and the key some-name of the file
// given by --config. The command line goes before the environment, the environment before the file.
#pragma once

namespace CLI {
class App;
}

namespace tare {

// Adds --config to `app` and the variables to the options that `serve` has. Call it after these are
// there.
void add_config(CLI::App& app, CLI::App& serve);

}  // namespace tare
