#include "analysis/questions.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/run_folder.h"

using namespace tare::analysis;
using Catch::Matchers::Contains;
using nlohmann::json;

TEST_CASE("a question follows the forwarded body, on each route, and changes nothing else") {
  const auto body = json::parse(*question_body(
      R"({"model":"m","stream":true,"input":[{"type":"x","output":"o"}],"tools":[]})", "responses",
      "mine", "Q?"));
  CHECK(body["model"] == "mine");
  CHECK(body["stream"] == false);
  CHECK(body["input"][0] == json{{"type", "x"}, {"output", "o"}});
  CHECK(body["input"][1] == json{{"role", "user"}, {"content", "Q?"}});
  CHECK(body["tools"] == json::array());
  CHECK(json::parse(*question_body(R"({"messages":[]})", "chat", "m", "Q"))["messages"].size() ==
        1);
  CHECK_FALSE(question_body("no JSON", "chat", "m", "Q"));
  CHECK_FALSE(question_body(R"({"input":"text"})", "responses", "m", "Q"));
}

TEST_CASE("the text of an answer is found on each route") {
  CHECK(answer_text(R"({"output":[{"content":[{"type":"output_text","text":"a"}]}]})") == "a\n");
  CHECK(answer_text(R"({"choices":[{"message":{"content":"b"}}]})") == "b\n");
  CHECK(answer_text(R"({"content":[{"type":"text","text":"c"}]})") == "c\n");
  CHECK(answer_text("nonsense").empty());
}

TEST_CASE("an answer is exact, has all words, or is wrong") {
  const Fact fact{"the row", {R"({"id":"r-6","tries":5})"}};
  CHECK(score_answer(R"(It is {"id":"r-6","tries":5}.)", fact) == AnswerScore::exact);
  CHECK(score_answer("id r-6, tries: 5", fact) == AnswerScore::words);
  CHECK(score_answer("id r-6, tries: 55", fact) == AnswerScore::wrong);
  CHECK(score_answer("not there", fact) == AnswerScore::wrong);
}

TEST_CASE("a secret is taken out wherever it stands") {
  CHECK(without_secret("key sk-1 and sk-1", "sk-1") == "key *** and ***");
  CHECK(without_secret("text", "") == "text");
}

TEST_CASE("questions are made of the first bodies of each arm and class") {
  tare::test::RunFolder folder;
  folder.write();
  const auto run = read_run(folder.path());
  REQUIRE(run);
  Bodies bodies(folder.path());
  const auto all = make_questions(*run, bodies, {.model = "m", .bodies_per_class = 2, .arms = {}});
  CHECK(all.size() == 8);  // four arms, two bodies
  CHECK_THAT(all[0].body, Contains("write error line exactly as the tool printed it"));
  const auto one =
      make_questions(*run, bodies, {.model = "m", .bodies_per_class = 9, .arms = {"tare"}});
  CHECK(one.size() == 5);
  const auto table = answers_markdown(
      {{.question = one[0], .status = 200, .text = "x", .score = AnswerScore::exact, .error = ""},
       {.question = one[1],
        .status = 500,
        .text = "",
        .score = AnswerScore::wrong,
        .error = "down"}},
      "m");
  CHECK_THAT(table, Contains("| logs | tare | 2 | 1 | 0 | 0 | 1 |"));
}
