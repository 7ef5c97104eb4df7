#include "analysis/conversation_score.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace tare::analysis;
using Catch::Matchers::Contains;
using Texts = std::vector<std::string>;

namespace {

const std::string body =
    R"({"input":[{"type":"message","content":"q"},{"type":"function_call_output","output":"aaaa"},)"
    R"({"type":"custom_tool_call_output","output":[{"type":"input_text","text":"bb"}]}]})";

ConversationOptions with(Texts command, Texts alone, Texts decoder) {
  ConversationOptions options;
  options.command = std::move(command);
  options.alone = std::move(alone);
  options.decoder = std::move(decoder);
  return options;
}

// Every byte is a token.
Tokenizer byte_tokens() {
  return Tokenizer(O200k::parse("YQ== 0\n", "bytes").value());
}

}  // namespace

TEST_CASE("the outputs of each format are found, as strings or in parts") {
  CHECK(output_texts(body) == Texts{"aaaa", "bb"});
  CHECK(output_texts(R"({"messages":[{"role":"user","content":"q"},{"role":"tool","content":"x"},)"
                     R"({"role":"tool","content":[{"type":"text","text":"y"}]}]})") ==
        Texts{"x", "y"});
  CHECK(
      output_texts(
          R"({"messages":[{"role":"user","content":[{"type":"text","text":"q"},)"
          R"({"type":"tool_result","content":"x"},)"
          R"({"type":"tool_result","content":[{"type":"text","text":"y"},{"type":"image"}]}]}]})") ==
      Texts{"x", "y"});
  for (const char* other :
       {"", "[]", "no JSON", "{\"input\":\"q\",\"messages\":3}", "{\"input\":[1]}"}) {
    CHECK(output_texts(other).empty());
  }
}

TEST_CASE("what is kept is counted both ways") {
  const auto score = score_conversation(
      body, with({"sed", "s/aaaa/a/"}, {"sed", "s/aaaa/aaa/"}, {"sed", "s/\"aa*\"/\"aaaa\"/"}),
      byte_tokens());
  REQUIRE(score);
  CHECK(score->outputs == 2);
  CHECK(score->tokens == 6);
  CHECK(score->tokens_kept == 3);
  CHECK(score->tokens_alone == 5);
  CHECK(score->exact == 1);
  CHECK(conversation_markdown({{"2", *score}}, byte_tokens()) == R"(tokens: o200k_base

| turns | bodies | outputs | tokens | kept without references % | with % | with / without | exact |
|---|---:|---:|---:|---:|---:|---:|---:|
| 2 | 1 | 2 | 6 | 83.3 | 50.0 | 0.600 | 1 of 1 |
)");
}

TEST_CASE("a body that does not come back is not exact") {
  const auto score =
      score_conversation(body, with({"sed", "s/aaaa/a/"}, {"cat"}, {"cat"}), byte_tokens());
  REQUIRE(score);
  CHECK(score->exact == 0);
}

TEST_CASE("a compactor that loses an output, fails or is not there is an error") {
  const auto lost = score_conversation(
      body, with({"sed", "s/function_call_output/x/"}, {"cat"}, {"cat"}), byte_tokens());
  REQUIRE_FALSE(lost);
  CHECK(lost.error().message == "sed: of 2 outputs 1 are left");
  const auto failed = score_conversation(body, with({"cat"}, {"cat"}, {"false"}), byte_tokens());
  REQUIRE_FALSE(failed);
  CHECK_THAT(failed.error().message, Contains("false ended with exit code 1"));
  const auto missing =
      score_conversation(body, with({"/nowhere/x"}, {"cat"}, {"cat"}), byte_tokens());
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code == tare::Error::Code::missing);
}
