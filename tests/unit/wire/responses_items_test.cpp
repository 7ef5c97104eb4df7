// The item types of the Responses API that hold calls and outputs.
#include <catch2/catch.hpp>
#include <string>

#include "proxy/wire/responses.h"
#include "traffic.h"

using namespace tare;
using namespace tare::test;

namespace {

Found items(const std::string& items) {
  return found(wire::ResponsesFormat(), R"({"input":[)" + items + "]}");
}

}  // namespace

TEST_CASE("each item type that is a tool output has its text") {
  for (const std::string type : {"function_call_output", "custom_tool_call_output",
                                 "local_shell_call_output", "apply_patch_call_output"}) {
    INFO(type);
    CHECK(items(R"({"type":")" + type + R"(","call_id":"c","status":"completed","output":"o"})") ==
          Found{R"("c": "o")"});
    CHECK(items(R"({"output":[{"type":"input_text","text":"o"}],"type":")" + type +
                R"(","call_id":"c"})") == Found{R"("c": "o")"});
  }
}

TEST_CASE("of a list of parts, the texts are outputs and images are not") {
  CHECK(items(R"({"type":"function_call_output","call_id":"c","output":[)"
              R"({"type":"input_image","image_url":"data:image/png;base64,AAAA","text":"no"},)"
              R"({"type":"input_text","text":"one"},"loose",[{"type":"input_text","text":"no"}],)"
              R"({"text":"two","type":"output_text","annotations":[]},{"type":"input_file"},)"
              R"({"type":"text","text":null},{"type":"text","text":"a","text":"b"},)"
              R"({"type":"text","text":"three"}]})") ==
        Found{R"("c": "one" (part))", R"("c": "two" (part))", R"("c": "three" (part))"});
  CHECK(items(R"({"type":"function_call_output","call_id":"c","output":[)"
              R"({"type":"input_image"},{"type":"input_text","text":"alone"}]})") ==
        Found{R"("c": "alone")"});
}

TEST_CASE("a shell call's output is its streams") {
  CHECK(items(R"({"type":"shell_call_output","call_id":"c","max_output_length":9,"output":[)"
              R"({"stdout":"out","stderr":"err","outcome":{"type":"exit","exit_code":0}},)"
              R"({"stderr":"2","stdout":"1","outcome":{"type":"timeout"}}]})") ==
        Found{R"("c": "out" (part))", R"("c": "err" (part))", R"("c": "2" (part))",
              R"("c": "1" (part))"});
  CHECK(
      items(R"({"type":"function_call_output","output":[{"stdout":"out","stderr":""}]})").empty());
}

TEST_CASE("each item type that is a call has its tool and arguments") {
  CHECK(
      items(
          R"({"type":"function_call","id":"fc","call_id":"c","name":"n","arguments":"{}"},)"
          R"({"type":"custom_tool_call","call_id":"d","name":"m","input":"free text"},)"
          R"({"type":"local_shell_call","call_id":"e","action":{"type":"exec","command":["ls"]}},)"
          R"({"type":"shell_call","call_id":"f","action":{"commands":["ls"] } },)"
          R"({"type":"apply_patch_call","call_id":"g","operation":{}})") ==
      Found{R"(call "c" "n" "{}")", R"(call "d" "m" "free text")",
            R"(call "e" local_shell {"type":"exec","command":["ls"]})",
            R"(call "f" shell {"commands":["ls"] })", R"(call "g" apply_patch )"});
}

TEST_CASE("a call of an MCP server is its own output") {
  CHECK(items(R"({"type":"mcp_call","id":"i","server_label":"s","name":"n","arguments":"{}",)"
              R"("output":"o","error":null})") == Found{R"(call "i" "n" "{}")", R"("i": "o")"});
}

TEST_CASE("an item without a call id is joined by its id") {
  CHECK(items(R"({"type":"local_shell_call","id":"i","action":{}},)"
              R"({"type":"local_shell_call_output","id":"i","output":"o"})") ==
        Found{R"(call "i" local_shell {})", R"("i": "o")"});
}

TEST_CASE("a call id that stands twice joins nothing") {
  CHECK(items(R"({"type":"function_call_output","call_id":"a","call_id":"b","output":"o"})") ==
        Found{R"(: "o")"});
}

TEST_CASE("what a hosted tool or the model itself gave is no tool output") {
  CHECK(items(R"({"type":"code_interpreter_call","id":"c","outputs":[{"type":"logs","logs":"l"}]},)"
              R"({"type":"computer_call_output","call_id":"c","output":{"type":"screenshot"}},)"
              R"({"type":"reasoning","encrypted_content":"e","summary":[]},)"
              R"({"type":"message","content":[{"type":"output_text","text":"t"}]},)"
              R"({"type":"item_reference","id":"r"})")
            .empty());
}
