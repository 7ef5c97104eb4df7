#include "proxy/transport_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <map>

#include "common/files.h"
#include "common/whole_number.h"

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

void add_access_options(CLI::App& command, ServeArguments& arguments) {
  command
      .add_option(
          "--token-file", arguments.token_file,
          "file whose token clients have to send as x-tare-token or as a bearer; TARE_TOKEN "
          "holds the token itself")
      ->type_name("FILE");
  command
      .add_option(
          "--allow-host", arguments.options.access.hosts,
          "serve requests whose Host or Origin has this name, besides loopback's names; may "
          "be given several times")
      ->type_name("NAME")
      ->delimiter(',')
      ->allow_extra_args(false);
}

void add_report_options(CLI::App& command, server::ServeOptions& options) {
  command
      .add_option("--admin", options.admin,
                  "address and port of a listener for /healthz, /readyz, /metrics and /stats")
      ->type_name("ADDRESS:PORT");
  command
      .add_option("--ledger", options.ledger,
                  "append a JSON line for each request: sizes, savings, times, no content")
      ->type_name("FILE");
  const std::map<std::string, server::LogFormat> formats = {{"logfmt", server::LogFormat::logfmt},
                                                            {"json", server::LogFormat::json}};
  command.add_option("--log-format", options.log_format, "how lines on stderr are written")
      ->transform(CLI::CheckedTransformer(formats, CLI::ignore_case).description(""))
      ->default_str("logfmt")
      ->type_name("logfmt|json");
}

}  // namespace

void add_transport_options(CLI::App& command, ServeArguments& arguments) {
  add_access_options(command, arguments);
  add_report_options(command, arguments.options);
  server::ServeOptions& options = arguments.options;
  command
      .add_option("--max-body-bytes", options.max_body_bytes,
                  "longer request bodies pass unrewritten, without being held")
      ->check(fault_of_whole_number)
      ->capture_default_str();
  command
      .add_option("--max-held-bytes", options.max_held_bytes,
                  "of request bodies in memory at a time; what comes then passes unrewritten")
      ->check(fault_of_whole_number)
      ->capture_default_str();
  command.add_option("--threads", options.threads, "event loops; one serves thousands of streams")
      ->check(fault_of_whole_number)
      ->check(CLI::Range(1, 256))
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

Result<void> ServeArguments::finish() {
  if (options.forward_only && options.shadow) {
    return fail(
        Error::usage("--forward-only and --shadow: what is not rewritten has no savings to count",
                     "give --shadow alone to send the originals and count"));
  }
  const char* variable = std::getenv("TARE_TOKEN");
  if (token_file.empty() && variable == nullptr) return {};
  const Result<std::string> text = token_file.empty() ? variable : read_file(token_file);
  if (!text) return fail(text.error());
  auto token = server::parse_token(*text, token_file.empty() ? "TARE_TOKEN" : "--token-file");
  if (!token) return fail(token.error());
  options.access.token = std::move(*token);
  return {};
}

}  // namespace tare
