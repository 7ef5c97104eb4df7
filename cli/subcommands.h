// The subcommands of tare, one file each: add_NAME() in cli/NAME.cpp declares its words and options
// on `app` and, when it is the one typed, runs it and sets `exit_code` (0 fine, 1 failed, 2 wrong
// usage, 3 a needed thing is missing). To add one: write the file, declare it here, list it in
// main.cpp.
#pragma once

namespace CLI {
class App;
}

namespace tare::cli {

void add_arms(CLI::App& app, int& exit_code);
void add_plan(CLI::App& app, int& exit_code);
void add_run(CLI::App& app, int& exit_code);
void add_report(CLI::App& app, int& exit_code);
void add_compare(CLI::App& app, int& exit_code);
void add_verify(CLI::App& app, int& exit_code);
void add_ask(CLI::App& app, int& exit_code);
void add_workload(CLI::App& app, int& exit_code);
void add_corpus(CLI::App& app, int& exit_code);
void add_tokens(CLI::App& app, int& exit_code);
void add_selftest(CLI::App& app, int& exit_code);
void add_doctor(CLI::App& app, int& exit_code);

}  // namespace tare::cli
