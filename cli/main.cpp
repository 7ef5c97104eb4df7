// tare: the benchmark harness's command line.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdlib>
#include <memory>
#include <string>

#include "cli/subcommands.h"
#include "common/version.h"

namespace {

using AddSubcommand = void (*)(CLI::App& app, int& exit_code);

// In the order in which --help lists them.
constexpr std::array subcommands{
    AddSubcommand{tare::cli::add_arms},     AddSubcommand{tare::cli::add_plan},
    AddSubcommand{tare::cli::add_run},      AddSubcommand{tare::cli::add_report},
    AddSubcommand{tare::cli::add_compare},  AddSubcommand{tare::cli::add_verify},
    AddSubcommand{tare::cli::add_ask},      AddSubcommand{tare::cli::add_workload},
    AddSubcommand{tare::cli::add_corpus},   AddSubcommand{tare::cli::add_tokens},
    AddSubcommand{tare::cli::add_selftest}, AddSubcommand{tare::cli::add_doctor},
};

// Help in which a subcommand's own subcommands ("arms check") stand with their arguments too.
class WholeHelp : public CLI::Formatter {
 public:
  std::string make_expanded(const CLI::App* app) const override {
    const auto nested = app->get_subcommands({});
    if (nested.empty()) return CLI::Formatter::make_expanded(app);
    std::string text = app->get_name() + "\n  " + app->get_description() + "\n";
    for (const auto* each : nested) text += "\n" + app->get_name() + " " + make_expanded(each);
    return text;
  }
};

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Weighs proxies that make coding agents' requests smaller: latency, CPU, memory, "
      "bytes, and what was lost.",
      "tare");
  app.formatter(std::make_shared<WholeHelp>());
  app.set_version_flag("--version", "tare " + std::string(tare::version()));
  app.set_help_all_flag("--help-all", "Print this help and that of every subcommand");
  app.add_option("--home",
                 "Folder that holds arms/ and data/; else the source tree this was built from")
      ->envname("TARE_HOME")
      ->type_name("DIR");
  app.footer(
      "Environment:\n"
      "  TARE_CACHE         folder for installed arms (else XDG_CACHE_HOME/tare, else "
      "~/.cache/tare)\n"
      "  TARE_TOKEN_RANKS   file of the o200k_base ranks (else tokens/o200k_base.tiktoken in that "
      "folder)\n"
      "The programs that arms start are looked up beside this one and in PATH.\n\n"
      "Exit codes: 0 fine, 1 the run or check failed, 2 wrong usage, 3 a needed thing is "
      "missing.");
  app.require_subcommand(1);
  int exit_code = EXIT_SUCCESS;
  for (const auto add : subcommands) add(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::RequiredError& e) {
    const auto unknown = app.remaining();
    if (unknown.empty() || !app.get_subcommands().empty()) return app.exit(e) == 0 ? 0 : 2;
    fmt::print(stderr, "tare: unknown subcommand \"{}\" (tare --help lists them)\n", unknown[0]);
    return 2;
  } catch (const CLI::ExtrasError& e) {
    app.exit(e);
    fmt::print(stderr, "Lists such as --arms take their words with commas between: --arms a,b\n");
    return 2;
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? EXIT_SUCCESS : 2;
  }
  return exit_code;
}
