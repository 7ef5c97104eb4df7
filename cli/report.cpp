#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "analysis/cost_model.h"
#include "analysis/published.h"
#include "analysis/raw_reader.h"
#include "analysis/reporter.h"
#include "analysis/results.h"
#include "cli/places.h"

namespace tare::cli {
namespace {

struct Words {
  std::string folder;
  std::string format;
  std::string against;
  std::string cost_model;
  std::string output;
};

int report(const Words& words, const Places& places) {
  const auto run = analysis::read_run(words.folder);
  if (!run) return print_error(run.error());
  auto results = analysis::make_results(*run);
  if (results.field) {
    auto model = analysis::read_cost_model(words.cost_model.empty() ? places.cost_model.string()
                                                                    : words.cost_model);
    if (!model) return print_error(model.error());
    results.field->cost_model = std::move(*model);
  }
  std::optional<analysis::Comparison> comparison;
  if (!words.against.empty()) {
    const auto published = analysis::read_published(words.against);
    if (!published) return print_error(published.error());
    comparison = analysis::compare_with(results, *published);
  }
  const std::string text =
      analysis::find_reporter(words.format)->write(results, comparison ? &*comparison : nullptr);
  const auto written = write_result(words.output, text);
  return written ? 0 : print_error(written.error());
}

}  // namespace

void add_report(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand(
      "report", "Say what a run found: the same run folder gives the same bytes on any machine");
  auto words = std::make_shared<Words>();
  command->add_option("DIR", words->folder, "The run's folder, as tare run printed it")->required();
  std::vector<std::string> formats;
  for (const auto* reporter : analysis::reporters()) formats.emplace_back(reporter->name());
  words->format = formats.front();
  command->add_option("--format", words->format, "How to write it")
      ->check(CLI::IsMember(formats))
      ->capture_default_str();
  command
      ->add_option("--against", words->against,
                   "Published figures (data/published, or a file of them) to put beside the run's, "
                   "with each published claim judged")
      ->type_name("FILE_OR_DIR");
  command->add_option("--output", words->output, "Write to this file instead of stdout")
      ->type_name("FILE");
  command
      ->add_option("--cost-model", words->cost_model,
                   "Prices of prompts, to weigh conversations by (docs/cost-model.md); the example "
                   "in data/cost-model.json if absent")
      ->type_name("FILE");
  command->callback([&app, words, &exit_code] { exit_code = report(*words, places_of(app)); });
}

}  // namespace tare::cli
