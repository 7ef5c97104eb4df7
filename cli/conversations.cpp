#include "cli/conversations.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "analysis/conversation_score.h"
#include "analysis/corpus_score.h"
#include "cli/places.h"
#include "cli/tokenizer.h"
#include "common/files.h"
#include "common/whole_number.h"
#include "harness/conversation.h"

namespace tare::cli {
namespace {

struct Words {
  std::string folder;
  std::string format = "responses";
  std::size_t turns = 30;
  std::uint64_t seed = 1;
};

struct ScoreWords {
  std::string folder;
  std::string format = "responses";
  std::string level;
  std::vector<std::size_t> turns = {10, 30, 60};
  std::uint64_t seeds = 5;
};

Result<std::vector<harness::SourceOutput>> sources_in(const std::filesystem::path& folder) {
  const auto files = analysis::list_corpus(folder);
  if (!files) return fail(files.error());
  std::vector<harness::SourceOutput> sources;
  for (const auto& file : *files) {
    auto text = read_file(folder / file.name);
    if (!text) return fail(text.error());
    sources.push_back({file.class_name, file.name, std::move(*text)});
  }
  return sources;
}

Result<std::string> body_of(const std::vector<harness::SourceOutput>& sources,
                            const std::string& format, std::size_t turns, std::uint64_t seed) {
  const auto route = harness::route_from(format);
  if (!route) return fail(route.error());
  return harness::conversation_body(*route, harness::make_conversation(sources, seed, turns));
}

int emit(const Words& words) {
  const auto sources = sources_in(words.folder);
  if (!sources) return print_error(sources.error());
  const auto body = body_of(*sources, words.format, words.turns, words.seed);
  if (!body) return print_error(body.error());
  const auto written = write_result("", *body);
  return written ? 0 : print_error(written.error());
}

analysis::ConversationOptions options_of(const ScoreWords& words, const Places& places) {
  const std::string proxy = (places.bin / "tare-proxy").string();
  analysis::ConversationOptions options;
  options.command = {proxy, "compact", "--body"};
  if (!words.level.empty()) options.command.insert(options.command.end(), {"--level", words.level});
  options.alone = options.command;
  options.alone.emplace_back("--no-references");
  options.decoder = {proxy, "expand", "--body"};
  return options;
}

Result<bool> score(const ScoreWords& words, const Places& places) {
  const auto sources = sources_in(words.folder);
  if (!sources) return fail(sources.error());
  const auto tokenizer = make_tokenizer();
  const auto options = options_of(words, places);
  std::vector<analysis::ConversationRow> rows;
  bool exact = true;
  for (const std::size_t turns : words.turns) {
    analysis::ConversationRow row{fmt::format("{}", turns), {}};
    for (std::uint64_t seed = 1; seed <= words.seeds; ++seed) {
      const auto body = body_of(*sources, words.format, turns, seed);
      if (!body) return fail(body.error());
      const auto one = analysis::score_conversation(*body, options, tokenizer);
      if (!one) return fail(one.error());
      row.score.add(*one);
    }
    exact = exact && row.score.exact == row.score.bodies;
    rows.push_back(std::move(row));
  }
  const auto written = write_result("", analysis::conversation_markdown(rows, tokenizer));
  if (!written) return fail(written.error());
  return exact;
}

CLI::Option* add_format(CLI::App& command, std::string& format) {
  return command.add_option("--format", format, "responses, chat or messages")
      ->check(CLI::IsMember({"responses", "chat", "messages"}))
      ->capture_default_str();
}

}  // namespace

void add_conversations(CLI::App& app, CLI::App& corpus, int& exit_code) {
  auto* emits = corpus.add_subcommand(
      "conversation",
      "Write the request body of a conversation made of a folder's outputs, with repeats, edits "
      "and reruns; a longer one of the same seed begins alike");
  auto words = std::make_shared<Words>();
  emits->add_option("DIR", words->folder, "The folder of outputs")->required();
  add_format(*emits, words->format);
  emits->add_option("--turns", words->turns, "Tool calls")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  emits->add_option("--seed", words->seed, "Another seed, another conversation")
      ->check(fault_of_whole_number)
      ->capture_default_str();
  emits->callback([&exit_code, words] { exit_code = emit(*words); });

  auto* scores = corpus.add_subcommand(
      "score-conversations",
      "Compact such conversations with and without references to earlier outputs, and tell what "
      "is kept of their outputs; 1 when one does not come back exactly");
  auto score_words = std::make_shared<ScoreWords>();
  scores->add_option("DIR", score_words->folder, "The folder of outputs")->required();
  add_format(*scores, score_words->format);
  scores->add_option("--level", score_words->level, "Level of tare-proxy compact")
      ->check(CLI::IsMember({"plain", "standard", "full"}));
  scores->add_option("--turns", score_words->turns, "Tool calls of each conversation")
      ->delimiter(',')
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  scores->add_option("--seeds", score_words->seeds, "So many conversations of each length")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  scores->callback([&app, &exit_code, score_words] {
    const auto exact = score(*score_words, places_of(app));
    exit_code = exact ? (*exact ? 0 : 1) : print_error(exact.error());
  });
}

}  // namespace tare::cli
