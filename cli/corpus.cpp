#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "analysis/corpus_report.h"
#include "analysis/corpus_score.h"
#include "cli/conversations.h"
#include "cli/places.h"
#include "cli/tokenizer.h"
#include "common/held_signals.h"

namespace tare::cli {
namespace {

struct Format {
  const char* name;
  std::string (*write)(const analysis::CorpusScore& score, std::size_t worst);
};

constexpr std::array formats{
    Format{"markdown", analysis::corpus_markdown},
    Format{"json", [](const analysis::CorpusScore& score, std::size_t /*worst*/) {
             return analysis::corpus_json(score);
           }}};

struct Words {
  std::string folder;
  std::string level;
  std::string command;
  std::string decoder;
  std::string format = formats.front().name;
  std::string output;
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  int time_limit_s = 60;
  std::size_t worst = 10;
};

std::string fault_of_command(const std::string& text) {
  return CLI::detail::split_up(text).empty() ? "expected a command, found none" : "";
}

// Our own proxy unless another compactor is named.
analysis::ScoreOptions options_of(const Words& words, const Places& places) {
  const std::string proxy = (places.bin / "tare-proxy").string();
  analysis::ScoreOptions options;
  options.jobs = words.jobs;
  options.time_limit = std::chrono::seconds(words.time_limit_s);
  if (!words.command.empty()) {
    options.command = CLI::detail::split_up(words.command);
    options.decoder = CLI::detail::split_up(words.decoder);
    return options;
  }
  options.command = {proxy, "compact"};
  if (!words.level.empty()) options.command.insert(options.command.end(), {"--level", words.level});
  options.decoder = {proxy, "expand"};
  return options;
}

int score(const Words& words, const Places& places) {
  const HeldSignals held;  // for the threads that wait for compactors
  const auto tokenizer = make_tokenizer();
  const auto begin = std::chrono::steady_clock::now();
  const auto scored = analysis::score_corpus(words.folder, options_of(words, places), tokenizer);
  if (HeldSignals::came()) return 1;  // it is delivered now
  if (!scored) return print_error(scored.error());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  fmt::print(stderr, "{} files in {:.1f} s\n", scored->files.size(), took.count());
  const auto* format = std::ranges::find(formats, words.format, &Format::name);
  const std::string text = format->write(*scored, words.worst);
  const auto written = write_result(words.output, text);
  if (!written) return print_error(written.error());
  return scored->findings().empty() ? 0 : 1;
}

}  // namespace

void add_corpus(CLI::App& app, int& exit_code) {
  auto* corpus = app.add_subcommand("corpus", "Folders of tool outputs: data/corpora, or your own");
  corpus->require_subcommand(1);
  auto* command = corpus->add_subcommand(
      "score",
      "Compact each file below a folder and tell what is kept, by class (the first folder of a "
      "file's name) and in all; 1 when a file fails, does not come back exactly, grows, or says "
      "what never "
      "stood in it");
  auto words = std::make_shared<Words>();
  command->add_option("DIR", words->folder, "The folder of outputs")->required();
  auto* level = command->add_option("--level", words->level, "Level of tare-proxy compact")
                    ->check(CLI::IsMember({"plain", "standard", "full"}));
  auto* other =
      command
          ->add_option("--command", words->command,
                       "Another compactor: a command with an output on stdin, what is left of it "
                       "on stdout")
          ->check(fault_of_command)
          ->excludes(level);
  command
      ->add_option("--decoder", words->decoder,
                   "The command that undoes --command; without it exactness cannot be told")
      ->check(fault_of_command)
      ->needs(other);
  std::vector<std::string> names;
  for (const auto& format : formats) names.emplace_back(format.name);
  command->add_option("--format", words->format, "How to write it")
      ->check(CLI::IsMember(names))
      ->capture_default_str();
  command->add_option("--output", words->output, "File to write; stdout if absent")
      ->type_name("FILE");
  command->add_option("--worst", words->worst, "List so many files of which most is kept")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  command->add_option("--jobs", words->jobs, "Files at a time; the processors if absent")
      ->check(CLI::Range(1, 256))
      ->type_name("N");
  command->add_option("--time-limit", words->time_limit_s, "Seconds that a process may take")
      ->check(CLI::Range(1, 86400))
      ->capture_default_str();
  command->callback([&app, &exit_code, words] { exit_code = score(*words, places_of(app)); });
  add_conversations(app, *corpus, exit_code);
}

}  // namespace tare::cli
