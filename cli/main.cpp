// tare: the benchmark harness's command line.
#include <CLI/CLI.hpp>
#include <array>
#include <cstdlib>
#include <string>

#include "cli/subcommands.h"
#include "common/version.h"

namespace {

using AddSubcommand = void (*)(CLI::App& app, int& exit_code);

// In the order in which --help lists them.
constexpr std::array subcommands{
    AddSubcommand{tare::cli::add_arms},
    AddSubcommand{tare::cli::add_plan},
    AddSubcommand{tare::cli::add_run},
    AddSubcommand{tare::cli::add_report},
    AddSubcommand{tare::cli::add_verify},
    AddSubcommand{tare::cli::add_workload},
};

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Weighs proxies that make coding agents' requests smaller: latency, CPU, memory, "
      "bytes, and what was lost.",
      "tare");
  app.set_version_flag("--version", "tare " + std::string(tare::version()));
  app.set_help_all_flag("--help-all", "Print this help and that of every subcommand");
  app.add_option("--home",
                 "Folder that holds arms/ and data/; else the source tree this was built from")
      ->envname("TARE_HOME")
      ->type_name("DIR");
  app.footer(
      "Environment:\n"
      "  TARE_CACHE   folder for installed arms (else XDG_CACHE_HOME/tare, else "
      "~/.cache/tare)\n"
      "The programs that arms start are looked up beside this one and in PATH.\n\n"
      "Exit codes: 0 fine, 1 the run or check failed, 2 wrong usage, 3 a needed thing is "
      "missing.");
  app.require_subcommand(1);
  int exit_code = EXIT_SUCCESS;
  for (const auto add : subcommands) add(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? EXIT_SUCCESS : 2;
  }
  return exit_code;
}
