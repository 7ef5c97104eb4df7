#include "proxy/wire/messages.h"

#include <catch2/catch.hpp>
#include <string>

#include "traffic.h"

using namespace tare;
using namespace tare::test;

namespace {

Found blocks(const std::string& blocks) {
  return found(wire::MessagesFormat(),
               R"({"model":"m","messages":[{"role":"user","content":[)" + blocks + "]}]}");
}

}  // namespace

TEST_CASE("a tool result's content is an output, as a string and as text blocks") {
  CHECK(blocks(R"({"type":"tool_result","tool_use_id":"t","content":"o"})") ==
        Found{R"("t": "o")"});
  CHECK(blocks(R"({"content":"o","is_error":true,"type":"tool_result",)"
               R"("cache_control":{"type":"ephemeral"},"tool_use_id":"t"})") ==
        Found{R"("t": "o")"});
  CHECK(blocks(R"({"type":"tool_result","tool_use_id":"t","content":[)"
               R"({"type":"text","text":"a","cache_control":{"type":"ephemeral","ttl":"1h"}},)"
               R"({"type":"image","source":{"type":"base64","data":"AAAA"}},)"
               R"({"type":"document","source":{"type":"text","data":"d"}},)"
               R"({"type":"text","text":"b","citations":[]}]})") ==
        Found{R"("t": "a" (part))", R"("t": "b" (part))"});
  CHECK(blocks(R"({"type":"mcp_tool_result","tool_use_id":"t","content":[)"
               R"({"type":"text","text":"a"}]})") == Found{R"("t": "a")"});
}

TEST_CASE("calls are the tool uses, with their input as it stands") {
  CHECK(blocks(R"({"type":"thinking","thinking":"t","signature":"s"},)"
               R"({"type":"tool_use","id":"t","name":"n","input": { "a" : 1 } },)"
               R"({"type":"mcp_tool_use","id":"u","name":"m","server_name":"s","input":{}},)"
               R"({"type":"tool_use","id":"v","name":"o","input":"odd"},)"
               R"({"type":"tool_result","tool_use_id":"t","content":"x"})") ==
        Found{R"(call "t" "n" { "a" : 1 })", R"(call "u" "m" {})", R"(call "v" "o" )",
              R"("t": "x")"});
}

TEST_CASE("all other blocks are the client's") {
  CHECK(
      blocks(
          R"({"type":"text","text":"t","content":"c"},)"
          R"({"type":"thinking","thinking":"t","signature":"s"},)"
          R"({"type":"redacted_thinking","data":"d"},)"
          R"({"type":"server_tool_use","id":"s","name":"web_search","input":{}},)"
          R"({"type":"web_search_tool_result","tool_use_id":"s","content":[{"type":"text","text":"x"}]},)"
          R"({"type":"document","content":[{"type":"text","text":"d"}]},)"
          R"({"type":"tool_result","tool_use_id":"t"},)"
          R"({"type":"tool_result","tool_use_id":"t","content":null},"tool_result",[])")
          .empty());
  CHECK(found(wire::MessagesFormat(), R"({"messages":[{"role":"user","content":"text"}],)"
                                      R"("system":[{"type":"tool_result","content":"x"}]})")
            .empty());
}

TEST_CASE("what stands twice is left alone") {
  CHECK(blocks(R"({"type":"tool_result","content":"a","content":"b"})").empty());
  CHECK(blocks(R"({"type":"text","type":"tool_result","content":"a"})").empty());
  CHECK(found(wire::MessagesFormat(),
              R"({"messages":[{"content":[{"type":"tool_result","content":"a"}],"content":[]},)"
              R"({"content":[{"type":"tool_result","content":"b"}]}]})") == Found{R"(: "b")"});
}

TEST_CASE("the messages endpoint is known by the end of its path, and counts are passed through") {
  const wire::MessagesFormat format;
  CHECK(format.takes("/v1/messages"));
  CHECK(format.takes("/anthropic/v1/messages"));
  CHECK_FALSE(format.takes("/v1/messages/count_tokens"));
  CHECK_FALSE(format.takes("/v1/messages/batches"));
  CHECK(wire::format_of("/v1/messages?beta=true") != nullptr);
  CHECK(wire::format_of("/v1/messages/count_tokens?beta=true") == nullptr);
}
