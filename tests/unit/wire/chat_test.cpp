#include "proxy/wire/chat.h"

#include <catch2/catch.hpp>
#include <string>

#include "traffic.h"

using namespace tare;
using namespace tare::test;

namespace {

Found messages(const std::string& messages) {
  return found(wire::ChatFormat(), R"({"model":"m","messages":[)" + messages + "]}");
}

}  // namespace

TEST_CASE("a tool message's content is an output, as a string and as text parts") {
  CHECK(messages(R"({"role":"tool","tool_call_id":"c","content":"o"})") == Found{R"("c": "o")"});
  CHECK(messages(R"({"content":"o","role":"tool","name":"n","tool_call_id":"c"})") ==
        Found{R"("c": "o")"});
  CHECK(messages(R"({"role":"tool","tool_call_id":"c","content":[{"type":"text","text":"a"},)"
                 R"({"type":"image_url","image_url":{}},{"type":"text","text":"b"}]})") ==
        Found{R"("c": "a" (part))", R"("c": "b" (part))"});
}

TEST_CASE("calls are those of the assistant's messages") {
  CHECK(messages(R"({"role":"assistant","content":"x","tool_calls":[)"
                 R"({"id":"a","type":"function","function":{"name":"n","arguments":"{}"}},)"
                 R"({"type":"custom","custom":{"input":"i","name":"m"},"id":"b"}]},)"
                 R"({"role":"tool","tool_call_id":"b","content":"o"})") ==
        Found{R"(call "a" "n" "{}")", R"(call "b" "m" "i")", R"("b": "o")"});
}

TEST_CASE("the older function messages are joined by the function's name") {
  CHECK(messages(R"({"role":"assistant","function_call":{"name":"f","arguments":"{}"}},)"
                 R"({"role":"function","name":"f","content":"o"})") ==
        Found{R"(call "f" "f" "{}")", R"("f": "o" (no id))"});
}

TEST_CASE("what others say is no tool output") {
  CHECK(messages(R"({"role":"user","content":"o"},{"role":"system","content":"o"},)"
                 R"({"role":"assistant","content":"o","tool_calls":null},)"
                 R"({"role":"developer","content":[{"type":"text","text":"o"}]},)"
                 R"({"content":"o"},{"role":["tool"],"content":"o"},"tool",null)")
            .empty());
  CHECK(messages(R"({"role":"tool","tool_call_id":"c","content":null},)"
                 R"({"role":"tool","content":{"text":"o"}},{"role":"tool"})")
            .empty());
}

TEST_CASE("a message whose role or content stands twice is left alone") {
  CHECK(messages(R"({"role":"tool","content":"a","content":"b"})").empty());
  CHECK(messages(R"({"role":"user","role":"tool","content":"a"})").empty());
  CHECK(found(wire::ChatFormat(),
              R"({"messages":[{"role":"tool","content":"a"}],"messages":[]})") == Found{"unread"});
}

TEST_CASE("the chat endpoint is known by the end of its path") {
  const wire::ChatFormat format;
  CHECK(format.takes("/v1/chat/completions"));
  CHECK(format.takes("/openai/deployments/d/chat/completions"));
  CHECK(format.takes("/gateway/eu/v1/chat/completions"));
  CHECK_FALSE(format.takes("/v1/completions"));
  CHECK_FALSE(format.takes("/v1/chat/completions/id/messages"));
  CHECK_FALSE(format.takes("/v1/chatx/completions"));
  CHECK(wire::format_of("/v1/chat/completions?api-version=1") != nullptr);
}
