#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "analysis/compared_runs.h"
#include "analysis/raw_reader.h"
#include "cli/places.h"

namespace tare::cli {
namespace {

struct Words {
  std::string base;
  std::string head;
  std::string subject;
  std::string output;
  bool fail_on_worse = false;
};

int compare(const Words& words) {
  const auto base = analysis::read_run(words.base);
  if (!base) return print_error(base.error());
  const auto head = analysis::read_run(words.head);
  if (!head) return print_error(head.error());
  const auto compared = analysis::compare_runs(*base, *head, words.subject);
  if (!compared) return print_error(compared.error());
  const auto written = write_result(words.output, analysis::compared_markdown(*compared));
  if (!written) return print_error(written.error());
  if (!words.fail_on_worse) return 0;
  if (!compared->comparable()) {
    fmt::print(stderr, "tare: the runs cannot be compared, so nothing is known to be no worse\n");
    return 1;
  }
  if (compared->damaged()) {
    fmt::print(stderr, "tare: raw data is damaged, so nothing is known to be no worse\n");
    return 1;
  }
  return compared->worse() > 0 ? 1 : 0;
}

}  // namespace

void add_compare(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand(
      "compare", "Hold the run of a change against the run of what it changes: for pull requests");
  auto words = std::make_shared<Words>();
  command->add_option("BASE", words->base, "The folder of the run before the change")->required();
  command->add_option("HEAD", words->head, "The folder of the run after it, by the same plan")
      ->required();
  command->add_option("--subject", words->subject, "The arm that is compared instead of the plan's")
      ->type_name("NAME");
  command
      ->add_option("--fail-on",
                   "Exit with 1 when a primary metric is worse, or when that cannot be "
                   "told because the runs cannot be compared or are damaged")
      ->check(CLI::IsMember({"worse"}))
      ->each([words](const std::string&) { words->fail_on_worse = true; });
  command->add_option("--output", words->output, "Write to this file instead of stdout")
      ->type_name("FILE");
  command->callback([words, &exit_code] { exit_code = compare(*words); });
}

}  // namespace tare::cli
