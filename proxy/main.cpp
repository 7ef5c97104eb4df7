// tare-proxy: the command line. Everything else is in the folders beside this file.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "common/version.h"
#include "proxy/filters.h"
#include "proxy/serve.h"

namespace {

int report(const tare::Error& error) {
  fmt::print(stderr, "tare-proxy: {}\n", error.text());
  return error.exit_code();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "A proxy that sends tool outputs in a smaller form from which the original can be rebuilt.");
  app.set_help_all_flag("--help-all", "Print this help and that of every subcommand");
  app.set_version_flag("--version", fmt::format("tare-proxy {}", tare::version()));
  app.require_subcommand(1);
  tare::Result<void> outcome;
  tare::add_serve(app, outcome);
  tare::add_filters(app, outcome);
  try {
    app.parse(argc, argv);
  } catch (const CLI::RequiredError& wrong) {
    const auto unknown = app.remaining();
    if (unknown.empty() || !app.get_subcommands().empty()) return app.exit(wrong) == 0 ? 0 : 2;
    fmt::print(stderr, "tare-proxy: unknown subcommand \"{}\" (tare-proxy --help lists them)\n",
               unknown[0]);
    return 2;
  } catch (const CLI::ParseError& wrong) {
    return app.exit(wrong) == 0 ? 0 : 2;
  }
  return outcome ? 0 : report(outcome.error());
}
