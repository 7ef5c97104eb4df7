// tare ask: puts the planted questions of a run to a model of the user's, at the user's cost.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "analysis/cost_model.h"
#include "analysis/questions.h"
#include "cli/places.h"
#include "cli/subcommands.h"
#include "cli/tokenizer.h"
#include "common/clock.h"
#include "common/files.h"
#include "harness/client.h"

namespace tare::cli {
namespace {

struct Words {
  std::string folder;
  std::string upstream;
  std::string key_env;
  std::string cost_model;
  analysis::QuestionOptions questions;
  int time_limit_s = 120;
  bool confirmed = false;
};

// Never printed, and taken out of all that comes back.
Result<std::string> key_from(const std::string& variable) {
  const char* key = std::getenv(variable.c_str());
  if (key == nullptr || *key == '\0') {
    return fail(Error::usage(variable + ": no such environment variable, or an empty one",
                             "put the key of your provider into it"));
  }
  if (std::string_view(key).find_first_of("\r\n") != std::string_view::npos) {
    return fail(Error::usage(variable + ": the key holds a line break", "take it out"));
  }
  return std::string(key);
}

// A key must not travel in clear text, but on this machine.
Result<void> check_upstream(std::string_view url) {
  if (url.starts_with("https://")) return {};
  for (const std::string_view local : {"http://127.0.0.1", "http://localhost", "http://[::1]"}) {
    if (!url.starts_with(local)) continue;
    const char next = url.size() == local.size() ? '/' : url[local.size()];
    if (next == ':' || next == '/') return {};
  }
  return fail(Error::usage(fmt::format("--upstream {}: expected https, or http on loopback", url),
                           "a key must not travel in clear text"));
}

std::vector<std::string> headers_of(std::string_view route, const std::string& key) {
  if (route == "messages") return {"x-api-key: " + key, "anthropic-version: 2023-06-01"};
  return {"authorization: Bearer " + key};
}

void print_cost(const std::vector<analysis::Question>& questions, const Words& words,
                const analysis::CostModel& model) {
  const auto tokenizer = make_tokenizer();
  std::size_t tokens = 0;
  for (const auto& question : questions) tokens += tokenizer.count(question.body);
  fmt::print(
      "{} questions for {} at {}: about {} prompt tokens ({}), about {:.2f} {} for prompts at {} a "
      "million, answers not counted ({})\n",
      questions.size(), words.questions.model, words.upstream, tokens, tokenizer.name(),
      static_cast<double>(tokens) * model.input_per_million / 1e6, model.currency,
      model.input_per_million, model.title);
}

analysis::Answer ask(const analysis::Question& question, const Words& words,
                     const std::string& key) {
  static const std::atomic<int> no_interrupt = 0;
  const auto client =
      harness::make_client(system_clock(), no_interrupt, headers_of(question.route, key));
  const auto exchange = client->post(words.upstream + analysis::path_of_route(question.route),
                                     question.body, words.time_limit_s);
  analysis::Answer answer;
  answer.question = question;
  answer.status = exchange.status;
  if (exchange.error) {
    answer.error = analysis::without_secret(*exchange.error, key);
    return answer;
  }
  if (exchange.status != 200) {
    answer.error = analysis::without_secret(exchange.reply.substr(0, 300), key);
    if (answer.error.empty()) answer.error = "no text";
    return answer;
  }
  answer.text = analysis::without_secret(analysis::answer_text(exchange.reply), key);
  answer.score = analysis::score_answer(answer.text, question.fact);
  return answer;
}

Result<int> run(Words words, const Places& places) {
  if (auto checked = check_upstream(words.upstream); !checked) return fail(checked.error());
  const auto key = key_from(words.key_env);
  if (!key) return fail(key.error());
  const auto model = analysis::read_cost_model(words.cost_model.empty() ? places.cost_model.string()
                                                                        : words.cost_model);
  if (!model) return fail(model.error());
  const auto raw = analysis::read_run(words.folder);
  if (!raw) return fail(raw.error());
  analysis::Bodies bodies(words.folder);
  const auto questions = analysis::make_questions(*raw, bodies, words.questions);
  if (questions.empty()) {
    return fail(Error::usage(words.folder + ": no stored body with a planted fact for these arms",
                             "ask of a run that kept its bodies"));
  }
  while (words.upstream.ends_with('/')) words.upstream.pop_back();
  print_cost(questions, words, *model);
  if (!words.confirmed) {
    fmt::print("nothing was sent: add --confirm-cost to send it\n");
    return 0;
  }
  std::vector<analysis::Answer> answers;
  std::string lines;
  std::size_t failed = 0;
  for (const auto& question : questions) {
    answers.push_back(ask(question, words, *key));
    lines += analysis::answer_line(answers.back(), words.questions.model);
    failed += answers.back().error.empty() ? 0U : 1U;
    fmt::print(stderr, "\r{} of {} asked", answers.size(), questions.size());
  }
  fmt::print(stderr, "\n");
  const auto written = write_file(std::filesystem::path(words.folder) / "answers.jsonl", lines);
  if (!written) return fail(written.error());
  fmt::print("{}", analysis::answers_markdown(answers, words.questions.model));
  return failed == 0 ? 0 : 1;
}

}  // namespace

void add_ask(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand(
      "ask",
      "Put the planted questions of a run to a model of yours, with each arm's forwarded bodies, "
      "and score the answers (answers.jsonl): your key, your cost, told first; nothing is sent "
      "without --confirm-cost");
  auto words = std::make_shared<Words>();
  command->add_option("DIR", words->folder, "The run's folder")->required();
  command->add_option("--upstream", words->upstream, "Your provider, without the API's path")
      ->required()
      ->type_name("URL");
  command->add_option("--model", words->questions.model, "The model's name there")
      ->required()
      ->type_name("NAME");
  command
      ->add_option("--key-env", words->key_env,
                   "The environment variable that holds your key; it is written nowhere")
      ->required()
      ->type_name("VAR");
  command->add_option("--arms", words->questions.arms, "Of these arms only")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME,...");
  command
      ->add_option("--bodies", words->questions.bodies_per_class,
                   "So many bodies of each class and arm")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command
      ->add_option("--cost-model", words->cost_model,
                   "Prices for the estimate (docs/cost-model.md); data/cost-model.json if absent")
      ->type_name("FILE");
  command->add_option("--time-limit", words->time_limit_s, "Seconds that an answer may take")
      ->check(CLI::Range(1, 3600))
      ->capture_default_str();
  command->add_flag("--confirm-cost", words->confirmed, "Send the questions, at your cost");
  command->callback([&app, words, &exit_code] {
    const auto code = run(*words, places_of(app));
    exit_code = code ? *code : print_error(code.error());
  });
}

}  // namespace tare::cli
