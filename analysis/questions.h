// The planted facts of a run as questions to a model: each forwarded body with the question after
// it, and how an answer is scored. Sending is not done here. Pure but for reading bodies.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/bodies.h"
#include "analysis/field_rows.h"
#include "analysis/raw_reader.h"
#include "common/error.h"

namespace tare::analysis {

struct Question {
  std::string arm;
  std::string task;
  std::string route;  // "responses", "chat", "messages"
  std::string sent_sha256;
  std::string forwarded_sha256;
  Fact fact;
  std::string body;  // to be sent
};

struct QuestionOptions {
  std::string model;
  std::size_t bodies_per_class = 3;  // of each arm, the first ones
  std::vector<std::string> arms;     // empty: all
};

// Bodies that are not stored, or not JSON, are left out.
std::vector<Question> make_questions(const RawRun& run, Bodies& bodies,
                                     const QuestionOptions& options);

// The forwarded body with the model's name, not streamed, and one more user message; nothing when
// it is not a body of that route.
std::optional<std::string> question_body(std::string_view forwarded, std::string_view route,
                                         const std::string& model, std::string_view question);

// The text of a model's reply on any of the three routes; empty when it has none.
std::string answer_text(std::string_view reply);

enum class AnswerScore { exact, words, wrong };
std::string_view name_of(AnswerScore score);
// exact: one of the spellings stands in the answer; words: each word of one of them does.
AnswerScore score_answer(std::string_view answer, const Fact& fact);

// "/v1/responses" and so on.
std::string path_of_route(std::string_view route);

// The text without the secret, wherever it stands.
std::string without_secret(std::string text, std::string_view secret);

struct Answer {
  Question question;
  std::optional<int> status;
  std::string text;
  AnswerScore score = AnswerScore::wrong;
  std::string error;  // why there is no answer; empty when there is one
};

// A line of answers.jsonl; and the table of all.
std::string answer_line(const Answer& answer, const std::string& model);
std::string answers_markdown(const std::vector<Answer>& answers, const std::string& model);

}  // namespace tare::analysis
