#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/places.h"
#include "common/whole_number.h"
#include "harness/workloads.h"

namespace tare::cli {
namespace {

struct Words {
  std::string task;
  std::string mode;
  int index = 0;
};

int emit(const Words& words, const Places& places) {
  const auto workload = harness::workload_from(words.task);
  if (!workload) return print_error(workload.error());
  const auto mode = harness::mode_from(words.mode);
  if (!mode) return print_error(mode.error());
  const int index = *mode == harness::Mode::repeated ? 0 : words.index;
  const auto bodies = harness::make_bodies(*workload, index + 1, places.home);
  if (!bodies) return print_error(bodies.error());
  const auto count = static_cast<int>(bodies->size());
  if (index >= count && *mode != harness::Mode::each) {
    return print_error(Error::usage(fmt::format("{} has {} bodies", words.task, count),
                                    "give an index below that, or the mode each"));
  }
  const auto written = write_result("", (*bodies)[static_cast<std::size_t>(index % count)].text);
  return written ? 0 : print_error(written.error());
}

}  // namespace

void add_workload(CLI::App& app, int& exit_code) {
  auto* workload =
      app.add_subcommand("workload", "Request bodies of the workloads that plans name");
  workload->require_subcommand(1);
  auto* command = workload->add_subcommand(
      "emit", "Write one request body to stdout, without a line end, as it is sent");
  auto words = std::make_shared<Words>();
  command
      ->add_option(
          "TASK", words->task,
          "logs, json, code, folder/CLASS, conversation/TURNS, incompressible, tiny or huge; then "
          "@TOOL, @chat or @messages where it is not read_file and Responses")
      ->required();
  command
      ->add_option("MODE", words->mode,
                   "repeated (index 0 throughout), unique, or each (again from the first)")
      ->required();
  command
      ->add_option("INDEX", words->index,
                   "From 0; of a published one 0 to 4 are warm-ups, 5 to 44 are measured")
      ->required()
      ->check(fault_of_whole_number);
  command->callback([&app, words, &exit_code] { exit_code = emit(*words, places_of(app)); });
}

}  // namespace tare::cli
