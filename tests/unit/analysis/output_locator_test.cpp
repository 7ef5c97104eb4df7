#include "analysis/output_locator.h"

#include <catch2/catch.hpp>

using namespace tare::analysis;

TEST_CASE("an output is found with its place, its pointer and its call, on each route") {
  const std::string responses =
      R"({"tools":[],"input":[{"role":"user","content":"q"},)"
      R"({"type":"function_call_output","call_id":"c1","output":"a\nb"},)"
      R"({"output":[{"type":"input_image"},{"text":"part"}],"type":"custom_tool_call_output"}]})";
  const auto found = find_outputs(responses);
  REQUIRE(found.size() == 2);
  CHECK(found[0].text == "a\nb");
  CHECK(found[0].call_id == "c1");
  CHECK(found[0].pointer == "/input/1/output");
  CHECK(responses.substr(found[0].begin, found[0].end - found[0].begin) == R"("a\nb")");
  CHECK(found[1].pointer == "/input/2/output/1/text");
  const auto chat = find_outputs(
      R"({"messages":[{"role":"tool","tool_call_id":"t","content":"x"},{"role":"user","content":"y"}]})");
  REQUIRE(chat.size() == 1);
  CHECK(chat[0].call_id == "t");
  CHECK(chat[0].pointer == "/messages/0/content");
  const auto messages = find_outputs(
      R"({"messages":[{"role":"user","content":[{"type":"text","text":"q"},)"
      R"({"type":"tool_result","tool_use_id":"u","content":[{"type":"text","text":"z"}]}]}]})");
  REQUIRE(messages.size() == 1);
  CHECK(messages[0].call_id == "u");
  CHECK(messages[0].pointer == "/messages/0/content/1/content/0/text");
}
