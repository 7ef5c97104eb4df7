// Every shape in which clients send tool outputs: what must reach the upstream, byte by byte.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "proxy/compact/compact.h"
#include "proxy/wire/wire.h"
#include "tests/support/wire_bodies.h"

using namespace tare;
using namespace tare::test;
using wire::Spelling;

namespace {

constexpr std::size_t plenty = std::size_t{64} << 20;

std::string source_code() {
  std::string text = "import queue\n\n";
  for (int i = 0; i < 40; ++i) {
    text += fmt::format("def push_{0}(job):\n    return queue.push({0}, job)\n\n", i);
  }
  return text;
}

std::string form_of(const std::string& text) {
  const auto form = compact::compact(text);
  REQUIRE(form.changed);
  return form.text;
}

std::string sent(std::string_view target, const std::string& body) {
  const auto result = wire::rewrite(target, body, {});
  return result.body.empty() ? body : result.body;
}

// `shape` with {} where the output's JSON string stands: only that string changes, and comes back.
void check_shape(std::string_view target, const std::string& shape) {
  const auto text = heartbeats(60);
  const auto filled = [&](const std::string& json) {
    auto body = shape;
    body.replace(body.find("@@"), 2, json);
    return body;
  };
  for (const auto spelling : {Spelling::shortest, Spelling::ascii}) {
    const auto body = filled(json_string(text + "é", spelling));
    const auto expected = filled(json_string(form_of(text + "é"), spelling));
    INFO(shape);
    CHECK(sent(target, body) == expected);
    CHECK(*wire::expand_body(expected, plenty, target) == body);
    CHECK(*wire::expand_body(expected, plenty) == body);
  }
}

const std::string image = R"({"type":"input_image","image_url":"data:image\/png;base64,AAAA"})";

// Responses bodies of two outputs whose calls are given.
std::string responses(const std::string& items) {
  return R"({"model":"m","input":[)" + items + "]}";
}
std::string call(const std::string& id, const std::string& tool, const std::string& arguments) {
  return R"({"type":"function_call","call_id":")" + id + R"(","name":")" + tool +
         R"(","arguments":)" + json_string(arguments) + "}";
}
std::string output(const std::string& id, const std::string& text) {
  return R"({"type":"function_call_output","call_id":")" + id + R"(","output":)" +
         json_string(text) + "}";
}

}  // namespace

TEST_CASE("Responses: each item type, as a string and as parts") {
  for (const std::string type : {"function_call_output", "custom_tool_call_output",
                                 "local_shell_call_output", "apply_patch_call_output"}) {
    const auto head = R"({"input":[{"type":")" + type + R"(","call_id":"c","output":)";
    check_shape("/v1/responses", head + R"(@@,"status":"completed"}]})");
    check_shape("/backend-api/codex/responses",
                head + "[" + image + R"(, {"type":"input_text", "text":@@ } ,)" + image + "]}]}");
    check_shape("/gateway/v1/responses?x=1", head + R"([{"text":@@,"type":"output_text"}]}]})");
  }
  check_shape("/v1/responses", R"({"input":[{"type":"shell_call_output","call_id":"c","output":[)"
                               R"({"stdout":@@,"stderr":"","outcome":{"type":"exit"}}]}]})");
  check_shape("/v1/responses",
              R"({"input":[{"type":"mcp_call","id":"i","name":"n","arguments":"{}",)"
              R"("output":@@,"error":null}]})");
}

TEST_CASE("Chat Completions: tool messages, as a string and as parts") {
  for (const std::string role :
       {R"("role":"tool","tool_call_id":"c")", R"("role":"function","name":"f")"}) {
    check_shape("/v1/chat/completions", R"({"messages":[{)" + role + R"(,"content":@@ }]})");
    check_shape("/v1/chat/completions?x=1",
                R"({"messages":[{"content":[{"type":"image_url","image_url":{"url":"\/"}},)"
                R"({"type":"text","text":@@}],)" +
                    role + "}]}");
  }
}

TEST_CASE("Messages: tool results, with markers, errors, images and signed thinking beside them") {
  const std::string before =
      R"({"system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}],)"
      R"("messages":[{"role":"assistant","content":[)"
      R"({"type":"thinking","thinking":"a \u00e9 \/","signature":"c2ln+\/=="},)"
      R"({"type":"redacted_thinking","data":"ZGF0YQ=="},)"
      R"({"type":"tool_use","id":"t","name":"bash","input":{"n":1.0}}]},{"role":"user","content":[)";
  const std::string after = R"(,{"type":"text","text":"and?"}]}],"max_tokens":1e3})";
  check_shape("/v1/messages?beta=true",
              before +
                  R"({"type":"tool_result","tool_use_id":"t","content":@@,"is_error":true,)"
                  R"("cache_control":{"type":"ephemeral","ttl":"1h"}})" +
                  after);
  check_shape("/v1/messages",
              before +
                  R"({"type":"tool_result","tool_use_id":"t","content":[)"
                  R"({"type":"image","source":{"data":"AAAA"}},)"
                  R"({"type":"text","text":@@,"cache_control":{"type":"ephemeral"}}]})" +
                  after);
  check_shape("/v1/messages", before +
                                  R"({"type":"mcp_tool_result","tool_use_id":"t","content":[)"
                                  R"({"type":"text","text":@@}]})" +
                                  after);
}

TEST_CASE("JSON around an output stays, and the text in it is compacted") {
  const auto text = heartbeats(60) + "caf\xC3\xA9 \"quoted\"\n";
  const std::vector<std::pair<std::string, std::string>> envelopes = {
      {R"({"output":)", R"(,"metadata":{"exit_code":0,"duration_seconds":0.10}})"},
      {"{\n  \"exit_code\": 1,\n  \"stdout\": ", ",\n  \"stderr\": \"\\u00e9\"\n}\n"},
      {R"([{"type":"text","text":)", "}]"},
      {R"({"content":[{"type":"text","text":)", R"(}],"isError":false})"}};
  for (const auto& [head, tail] : envelopes) {
    for (const auto& format : wire_formats) {
      for (const auto inner : {Spelling::shortest, Spelling::ascii}) {
        for (const auto outer : {Spelling::shortest, Spelling::ascii}) {
          const auto filled = [&](const std::string& content) {
            auto whole = head + json_string(content, inner) + tail;
            return body_of(format, {{"call_1", "bash", "{}", whole, outer}});
          };
          const auto body = filled(text);
          INFO(body);
          CHECK(sent(format.target, body) == filled(form_of(text)));
          CHECK(*wire::expand_body(filled(form_of(text)), plenty) == body);
        }
      }
    }
  }
}

TEST_CASE("a repeat comes back in its own spelling though the reference is all ASCII") {
  const auto text = heartbeats(60, "caf\xC3\xA9 \xF0\x9F\x98\x80 \x7F");
  for (const auto& format : wire_formats) {
    for (const auto first : {Spelling::shortest, Spelling::ascii}) {
      for (const auto second : {Spelling::shortest, Spelling::ascii}) {
        for (const auto& whole :
             {text, R"({"output":)" + json_string(text, first) + R"(,"metadata":{}})"}) {
          const auto body = body_of(format, {{"call_1", "bash", "{}", text, first},
                                             {"call_2", "bash", "{}", whole, second}});
          const auto small = sent(format.target, body);
          INFO(small);
          CHECK(small.size() < body.size() / 4);
          CHECK(*wire::expand_body(small, plenty) == body);
        }
      }
    }
  }
}

TEST_CASE("what looks like a form is not taken for one, in a part or an envelope either") {
  const auto form = form_of(heartbeats(60));
  const std::string short_form = "[~{} compact, lossless, 1000000 lines]\n~ x";
  for (const auto& text :
       {form, short_form, R"({"output":)" + json_string(form) + R"(,"metadata":{}})",
        R"({"stdout":)" + json_string(short_form) + R"(,"stderr":)" + json_string(form) + "}",
        R"([{"type":"text","text":)" + json_string(short_form) + "}]",
        R"({"output":)" + json_string(R"({"output":)" + json_string(form) + "}") + "}"}) {
    for (const auto& format : wire_formats) {
      for (const bool as_parts : {false, true}) {
        const auto body =
            body_of(format, {{"call_1", "bash", "{}", text, Spelling::shortest, as_parts}});
        INFO(body);
        const auto restored = wire::expand_body(sent(format.target, body), plenty, format.target);
        REQUIRE(restored);
        CHECK(*restored == body);
      }
    }
  }
}

TEST_CASE("an output whose call the upstream has is compacted and can be referred to") {
  const auto text = heartbeats(60);
  const auto body = R"({"previous_response_id":"resp_1","input":[)" + output("call_1", text) + "," +
                    output("call_2", text) + "]}";
  const auto small = sent("/v1/responses", body);
  CHECK(small.size() < body.size() / 4);
  CHECK(small.find("call_1", small.find("call_2")) != std::string::npos);
  CHECK(*wire::expand_body(small, plenty) == body);
  const auto source = responses(output("call_1", source_code()));
  CHECK(sent("/v1/responses", source) == responses(output("call_1", form_of(source_code()))));
}

TEST_CASE("source that a call reads for editing stays, whatever the call's shape") {
  const std::vector<std::pair<std::string, std::string>> reads = {
      {"read_file", R"({"path":"a.py"})"},
      {"shell", R"({"command":["bash","-lc","cat a.py"]})"},
      {"exec_command", R"({"cmd":"sed -n '1,200p' a.py"})"},
      {"str_replace_based_edit_tool", R"({"command":"view","path":"a.py"})"},
      {"multi_tool_use.parallel",
       R"({"tool_uses":[{"recipient_name":"functions.read_file","parameters":{}}]})"}};
  for (const auto& [tool, arguments] : reads) {
    for (const auto& format : wire_formats) {
      const auto body = body_of(format, {{"call_1", tool, arguments, source_code()}});
      INFO(format.name << " " << tool);
      CHECK(sent(format.target, body) == body);
      const auto log = body_of(format, {{"call_1", tool, arguments, heartbeats(60)}});
      CHECK(sent(format.target, log).size() < log.size() / 2);
    }
  }
  const auto other =
      body_of(wire_formats[0], {{"call_1", "bash", R"({"cmd":"make"})", source_code()}});
  CHECK(sent("/v1/responses", other).size() < other.size());
}

TEST_CASE(
    "a repeat of source that was read becomes a reference, a changed line keeps it verbatim") {
  for (const auto& format : wire_formats) {
    const Turn first{"call_1", "read_file", R"({"path":"a.py"})", source_code()};
    Turn again{"call_2", "read_file", R"({"path":"a.py"})", source_code()};
    const auto body = body_of(format, {first, again});
    const auto small = sent(format.target, body);
    INFO(format.name);
    CHECK(small.starts_with(history_of(format, {first})));
    CHECK(small.size() < body.size() - source_code().size());
    CHECK(*wire::expand_body(small, plenty) == body);
    again.text.replace(again.text.find("push_7"), 6, "pull_7");
    const auto changed = body_of(format, {first, again});
    CHECK(sent(format.target, changed) == changed);
  }
}

TEST_CASE("several calls and outputs with one id") {
  const auto text = heartbeats(60);
  const auto read = call("a", "read_file", "{}");
  const auto run = call("a", "bash", "{}");
  // Each output belongs to the call before it, and none is referred to once the id has come twice.
  const auto body = responses(read + "," + output("a", source_code()) + "," + run + "," +
                              output("a", text) + "," + output("b", text));
  const auto small = sent("/v1/responses", body);
  CHECK(small == responses(read + "," + output("a", source_code()) + "," + run + "," +
                           output("a", form_of(text)) + "," + output("b", form_of(text))));
  CHECK(*wire::expand_body(small, plenty) == body);
}

TEST_CASE("a call that comes after its output changes nothing before it") {
  const auto body = responses(output("a", source_code()));
  const auto longer = responses(output("a", source_code()) + "," + call("a", "read_file", "{}"));
  const auto small = sent("/v1/responses", body);
  CHECK(sent("/v1/responses", longer).starts_with(small.substr(0, small.size() - 2)));
}

TEST_CASE("a body of another format or none is sent as it came") {
  for (const auto& format : wire_formats) {
    const auto body = body_of(format, {{"call_1", "bash", "{}", heartbeats(60)}});
    for (const auto& other : wire_formats) {
      if (other.name != format.name) CHECK(wire::rewrite(other.target, body, {}).body.empty());
    }
    for (const auto* target : {"/v1/messages/count_tokens", "/v1/responses/compact",
                               "/v1/responses/input_tokens", "/v1/embeddings", "/", ""}) {
      CHECK(wire::rewrite(target, body, {}).body.empty());
    }
    for (std::size_t size = 0; size < body.size(); size += 97) {
      CHECK(wire::rewrite(format.target, body.substr(0, size), {}).body.empty());
    }
  }
}
