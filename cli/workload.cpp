#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/places.h"
#include "common/whole_number.h"
#include "harness/workload.h"

namespace tare::cli {
namespace {

struct Words {
  std::string task;
  std::string mode;
  int index = 0;
};

int emit(const Words& words) {
  const auto task = harness::task_from(words.task);
  if (!task) return print_error(task.error());
  const auto mode = harness::mode_from(words.mode);
  if (!mode) return print_error(mode.error());
  const auto body = harness::make_body(*task, *mode == harness::Mode::unique ? words.index : 0);
  const auto written = write_result("", body.text);
  return written ? 0 : print_error(written.error());
}

}  // namespace

void add_workload(CLI::App& app, int& exit_code) {
  auto* workload = app.add_subcommand("workload", "The published request bodies");
  workload->require_subcommand(1);
  auto* command = workload->add_subcommand(
      "emit", "Write one request body to stdout, without a line end, as it is sent");
  auto words = std::make_shared<Words>();
  command->add_option("TASK", words->task, "logs, json or code")->required();
  command->add_option("MODE", words->mode, "repeated (index 0 throughout) or unique")->required();
  command
      ->add_option(
          "INDEX", words->index,
          "0 to 4 are warm-ups, 5 to 44 the published measured ones; sliced plans go on from there")
      ->required()
      ->check(fault_of_whole_number);
  command->callback([words, &exit_code] { exit_code = emit(*words); });
}

}  // namespace tare::cli
