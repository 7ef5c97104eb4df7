#include "proxy/serve.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "proxy/compact_options.h"
#include "proxy/serve_config.h"
#include "proxy/server/server.h"
#include "proxy/transport_options.h"

namespace tare {

namespace {

void add_options(CLI::App& command, ServeArguments& arguments) {
  server::ServeOptions& options = arguments.options;
  command
      .add_option(
          "--upstream", options.upstream,
          "where requests go: https://host[:port][/prefix] or http://...; the prefix is put before "
          "their path")
      ->required();
  command
      .add_option("--route", options.routes,
                  "send requests for this path, and below it, to another upstream; may be given "
                  "several times")
      ->type_name("/PATH=URL")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      .add_option("--ca-file", options.ca_file,
                  "CA certificates (PEM) that upstreams may have besides the system's")
      ->type_name("FILE");
  command
      .add_option("--listen", options.listen,
                  "address and port; port 0 takes a free one. Other than on loopback it needs a "
                  "token and --allow-host")
      ->capture_default_str();
  command.add_flag("--forward-only", options.forward_only, "rewrite nothing");
  command.add_flag("--shadow", options.shadow,
                   "rewrite and count what it would save, and send the original");
  add_policy_options(command, options.policy);
  add_transport_options(command, arguments);
}

}  // namespace

void add_serve(CLI::App& app, Result<void>& outcome) {
  auto* command = app.add_subcommand(
      "serve", "Forward HTTP requests to their upstream and compact their tool outputs on the way");
  command->footer(
      "Prints its base URL on stdout when it is ready. SIGTERM or SIGINT: a clean stop.");
  const auto arguments = std::make_shared<ServeArguments>();
  add_options(*command, *arguments);
  add_config(app, *command);
  command->callback([arguments, &outcome] {
    outcome = arguments->finish();
    if (!outcome) return;
    outcome = server::serve(arguments->options, [](std::string_view base_url) {
      fmt::print("{}\n", base_url);
      std::fflush(stdout);
    });
  });
}

}  // namespace tare
