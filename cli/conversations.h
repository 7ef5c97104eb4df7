// Two subcommands of tare corpus: a conversation made of its outputs, and the score of such.
#pragma once

namespace CLI {
class App;
}

namespace tare::cli {

// `app` is the root application, `corpus` its subcommand.
void add_conversations(CLI::App& app, CLI::App& corpus, int& exit_code);

}  // namespace tare::cli
