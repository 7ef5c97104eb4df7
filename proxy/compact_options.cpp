#include "proxy/compact_options.h"

#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "common/whole_number.h"

namespace tare {

void add_compact_options(CLI::App& command, compact::Options& options) {
  using compact::Level;
  static const std::map<std::string, Level> levels = {
      {"plain", Level::plain}, {"standard", Level::standard}, {"full", Level::full}};
  static const std::map<std::string, bool> alerts = {{"literal", true}, {"templated", false}};
  command
      .add_option_function<std::string>(
          "--level", [&options](const std::string& name) { options.level = levels.at(name); },
          "plain: rows under headings, lines that come again; standard: and single rows, blocks, "
          "laws in the line number; full: and marks for the value above, names for long paths")
      ->check(CLI::IsMember(levels))
      ->type_name("LEVEL")
      ->default_str("standard");
  command
      .add_option_function<std::string>(
          "--alerts",
          [&options](const std::string& name) { options.alerts_literal = alerts.at(name); },
          "rare lines that look like failures stay literally there, or may become rows")
      ->check(CLI::IsMember(alerts))
      ->type_name("RULE")
      ->default_str("literal");
  command.add_option("--min-bytes", options.min_bytes, "leave shorter texts as they are")
      ->check(fault_of_whole_number)
      ->capture_default_str();
}

void add_policy_options(CLI::App& command, wire::Policy& policy) {
  add_compact_options(command, policy.compact);
  command
      .add_option("--verbatim-tool", policy.verbatim_tools,
                  "leave the outputs of this tool as they are; may be given several times")
      ->type_name("NAME")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_flag_callback(
      "--no-references", [&policy] { policy.references = false; },
      "compact each output by itself, without reference to earlier ones");
}

}  // namespace tare
