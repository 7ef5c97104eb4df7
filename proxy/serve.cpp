#include "proxy/serve.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "common/whole_number.h"
#include "proxy/compact_options.h"
#include "proxy/server/server.h"

namespace tare {

namespace {

using std::chrono::milliseconds;

// A range lets pass what compares with nothing.
std::string fault_of_nan(const std::string& text) {
  return std::isnan(std::strtod(text.c_str(), nullptr)) ? "expected a number of seconds" : "";
}

void add_seconds(CLI::App& command, const char* name, milliseconds& value, const char* help) {
  const auto set = [&value](double seconds) {
    value = std::chrono::duration_cast<milliseconds>(std::chrono::duration<double>(seconds));
  };
  command.add_option_function<double>(name, set, help)
      ->default_str(fmt::format("{}", std::chrono::duration<double>(value).count()))
      ->check(CLI::Range(0.001, 1e6))
      ->check(fault_of_nan)
      ->type_name("SECONDS");
}

void add_options(CLI::App& command, server::ServeOptions& options) {
  command
      .add_option(
          "--upstream", options.upstream,
          "where requests go: http://host[:port][/prefix]; the prefix is put before their path")
      ->required();
  command
      .add_option("--listen", options.listen, "loopback address and port; port 0 takes a free one")
      ->capture_default_str();
  command.add_flag("--forward-only", options.forward_only, "rewrite nothing");
  add_policy_options(command, options.policy);
  command
      .add_option("--max-body-bytes", options.max_body_bytes,
                  "longer request bodies pass unrewritten, without being held")
      ->check(fault_of_whole_number)
      ->capture_default_str();
  command
      .add_option("--max-header-bytes", options.max_header_bytes, "refuse longer request headers")
      ->check(fault_of_whole_number)
      ->capture_default_str();
  command
      .add_option("--max-connections", options.max_connections,
                  "clients served at a time; more have to wait")
      ->check(fault_of_whole_number)
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  add_seconds(command, "--header-timeout", options.header_timeout,
              "for a request's header to arrive");
  add_seconds(command, "--body-timeout", options.body_timeout,
              "between two pieces of a request's body");
  add_seconds(command, "--idle-timeout", options.idle_timeout,
              "between two requests of a connection");
  add_seconds(command, "--connect-timeout", options.connect_timeout, "to connect to the upstream");
  add_seconds(command, "--upstream-timeout", options.upstream_timeout,
              "for a response to begin, and between two pieces of it");
  add_seconds(command, "--drain-timeout", options.drain_timeout,
              "for requests in flight at SIGTERM");
}

}  // namespace

void add_serve(CLI::App& app, Result<void>& outcome) {
  auto* command = app.add_subcommand(
      "serve", "Forward HTTP requests to one upstream and compact their tool outputs on the way");
  command->footer(
      "Prints its base URL on stdout when it is ready. SIGTERM or SIGINT: a clean stop.");
  const auto options = std::make_shared<server::ServeOptions>();
  add_options(*command, *options);
  command->callback([options, &outcome] {
    outcome = server::serve(*options, [](std::string_view base_url) {
      fmt::print("{}\n", base_url);
      std::fflush(stdout);
    });
  });
}

}  // namespace tare
