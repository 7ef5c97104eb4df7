#include "analysis/questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "analysis/fidelity.h"
#include "analysis/markdown_text.h"

namespace tare::analysis {
namespace {

using nlohmann::json;

constexpr int most_answer_tokens = 512;
constexpr std::size_t longest_answer_bytes = 4096;

std::string question_text(const Fact& fact) {
  return fmt::format(
      "From the tool outputs above: write {} exactly as the tool printed it, whole, on one line, "
      "and nothing else. If it is not there, write: not there.",
      fact.name);
}

bool is_asked(const std::vector<std::string>& arms, std::string_view arm) {
  return arms.empty() || std::ranges::find(arms, arm) != arms.end();
}

const json* member(const json& object, const char* key) {
  const auto at = object.is_object() ? object.find(key) : object.end();
  return !object.is_object() || at == object.end() ? nullptr : &*at;
}

// A string, or the texts of a list of parts.
void add_texts(const json* content, std::string& text) {
  if (content == nullptr) return;
  if (content->is_string()) text += content->get<std::string>() + "\n";
  if (!content->is_array()) return;
  for (const auto& part : *content) add_texts(member(part, "text"), text);
}

std::string dumped(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

std::optional<std::string> question_body(std::string_view forwarded, std::string_view route,
                                         const std::string& model, std::string_view question) {
  json body = json::parse(forwarded, nullptr, false);
  if (!body.is_object()) return std::nullopt;
  const char* list = route == "responses" ? "input" : "messages";
  if (!body.contains(list) || !body[list].is_array()) return std::nullopt;
  body["model"] = model;
  body["stream"] = false;
  body[route == "responses" ? "max_output_tokens" : "max_tokens"] = most_answer_tokens;
  body[list].push_back({{"role", "user"}, {"content", question}});
  return dumped(body);
}

std::vector<Question> make_questions(const RawRun& run, Bodies& bodies,
                                     const QuestionOptions& options) {
  std::map<std::string_view, const WorkloadRow*> workload;
  for (const auto& row : run.workload) workload[row.sha256] = &row;
  std::set<std::tuple<std::string_view, std::string_view, std::string_view>> seen;
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> asked;
  std::vector<Question> questions;
  for (const auto& request : run.requests) {
    const auto row = workload.find(request.sent_sha256);
    if (row == workload.end() || row->second->facts.empty() || !request.received_sha256) continue;
    if (!is_asked(options.arms, request.arm)) continue;
    if (!seen.emplace(request.arm, request.task, request.sent_sha256).second) continue;
    auto& so_many = asked[{request.arm, request.task}];
    if (so_many >= options.bodies_per_class) continue;
    const StoredBody* forwarded = bodies.find(std::string(*request.received_sha256));
    if (forwarded == nullptr) continue;
    const std::string& route = row->second->route;
    ++so_many;
    for (const auto& fact : row->second->facts) {
      auto body = question_body(forwarded->bytes, route, options.model, question_text(fact));
      if (!body) continue;
      questions.push_back({.arm = std::string(request.arm),
                           .task = std::string(request.task),
                           .route = route,
                           .sent_sha256 = std::string(request.sent_sha256),
                           .forwarded_sha256 = std::string(*request.received_sha256),
                           .fact = fact,
                           .body = std::move(*body)});
    }
  }
  return questions;
}

std::string answer_text(std::string_view reply) {
  const json root = json::parse(reply, nullptr, false);
  std::string text;
  if (const json* output = member(root, "output"); output != nullptr && output->is_array()) {
    for (const auto& item : *output) add_texts(member(item, "content"), text);
  }
  if (const json* choices = member(root, "choices"); choices != nullptr && choices->is_array()) {
    for (const auto& choice : *choices) {
      if (const json* message = member(choice, "message"); message != nullptr) {
        add_texts(member(*message, "content"), text);
      }
    }
  }
  add_texts(member(root, "content"), text);
  return text;
}

std::string_view name_of(AnswerScore score) {
  switch (score) {
    case AnswerScore::exact:
      return "exact";
    case AnswerScore::words:
      return "words";
    case AnswerScore::wrong:
      return "wrong";
  }
  return "";
}

AnswerScore score_answer(std::string_view answer, const Fact& fact) {
  StoredBody said;
  said.outputs.emplace_back().text = std::string(answer);
  if (holds_fact(said, fact)) return AnswerScore::exact;
  return holds_words_of(said, fact) ? AnswerScore::words : AnswerScore::wrong;
}

std::string path_of_route(std::string_view route) {
  if (route == "chat") return "/v1/chat/completions";
  return route == "messages" ? "/v1/messages" : "/v1/responses";
}

std::string without_secret(std::string text, std::string_view secret) {
  if (secret.empty()) return text;
  for (std::size_t at = 0; (at = text.find(secret, at)) != std::string::npos;) {
    text.replace(at, secret.size(), "***");
    at += 3;
  }
  return text;
}

std::string answer_line(const Answer& answer, const std::string& model) {
  const Question& question = answer.question;
  return dumped({{"arm", question.arm},
                 {"task", question.task},
                 {"sent_sha256", question.sent_sha256},
                 {"forwarded_sha256", question.forwarded_sha256},
                 {"fact", question.fact.name},
                 {"model", model},
                 {"status", answer.status ? json(*answer.status) : json(nullptr)},
                 {"answer", answer.text.substr(0, longest_answer_bytes)},
                 {"score", name_of(answer.score)},
                 {"error", answer.error.empty() ? json(nullptr) : json(answer.error)}}) +
         "\n";
}

std::string answers_markdown(const std::vector<Answer>& answers, const std::string& model) {
  struct Counts {
    std::size_t asked = 0, exact = 0, words = 0, failed = 0;
  };
  std::map<std::pair<std::string, std::string>, Counts> counts;
  for (const auto& answer : answers) {
    auto& at = counts[{answer.question.task, answer.question.arm}];
    ++at.asked;
    at.failed += answer.error.empty() ? 0U : 1U;
    at.exact += answer.error.empty() && answer.score == AnswerScore::exact ? 1U : 0U;
    at.words += answer.error.empty() && answer.score == AnswerScore::words ? 1U : 0U;
  }
  markdown::Table table(
      {"class", "arm", ">asked", ">exact", ">all words only", ">wrong", ">no answer"});
  for (const auto& [name, n] : counts) {
    table.add({markdown::plain(name.first), markdown::plain(name.second),
               markdown::grouped(n.asked), markdown::grouped(n.exact), markdown::grouped(n.words),
               markdown::grouped(n.asked - n.exact - n.words - n.failed),
               markdown::grouped(n.failed)});
  }
  return fmt::format("Answers of {} to the planted questions\n\n{}", markdown::plain(model),
                     table.text());
}

}  // namespace tare::analysis
