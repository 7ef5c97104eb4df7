#include "analysis/fidelity.h"

#include <catch2/catch.hpp>

using namespace tare::analysis;

namespace {

std::string body(const std::string& output) {
  return R"({"model":"m","input":[{"role":"user","content":"output"},)"
         R"({"type":"function_call_output","output":)" +
         output + R"(}]})";
}

Change change(const std::string& sent, const std::string& forwarded) {
  return compare_bodies(parse_body(sent), parse_body(forwarded));
}

}  // namespace

TEST_CASE("tool outputs are found where they stand, whatever the order and spelling of keys") {
  const std::string text =
      R"({ "x":{"input":[1]}, "input" : [ "text", {"output":"a\"b]","other":[{"output":"no"}],)"
      R"("type":"function_call_output"}, {"type":"message","output":"no"},)"
      R"({"\u0074ype":"function_call_output","output":"\u00e9"},)"
      R"({"type":"function_call_output","output":[{"type":"input_text"}]} ] })";
  const StoredBody parsed = parse_body(text);
  REQUIRE(parsed.readable);
  REQUIRE(parsed.outputs.size() == 2);
  CHECK(parsed.outputs[0].text == "a\"b]");
  CHECK(parsed.outputs[0].pointer == "/input/1/output");
  CHECK(text.substr(parsed.outputs[0].begin, parsed.outputs[0].end - parsed.outputs[0].begin) ==
        R"("a\"b]")");
  CHECK(parsed.outputs[1].text == "\xC3\xA9");
  CHECK(parsed.outputs[1].pointer == "/input/3/output");
}

TEST_CASE("of a key that comes twice the last counts, as JSON readers have it") {
  const StoredBody parsed =
      parse_body(R"({"input":[{"type":"function_call_output","output":"first","output":"last"}]})");
  REQUIRE(parsed.outputs.size() == 1);
  CHECK(parsed.outputs[0].text == "last");
}

TEST_CASE("bodies without outputs, of other shapes, or not JSON are no trouble") {
  for (const char* text : {"{}", "[]", "3", "\"input\"", R"({"input":"text"})", R"({"input":[]})",
                           R"({"input":[[],{},null,-1.5e3]})"}) {
    CHECK(parse_body(text).readable);
    CHECK(parse_body(text).outputs.empty());
  }
  for (const char* text : {"", "{", "nonsense", R"({"input":["\ud800"]})", "\xFF"}) {
    CHECK_FALSE(parse_body(text).readable);
  }
}

TEST_CASE("any change of a body's bytes leaves a body that can be read or is not JSON") {
  const std::string whole = body(R"("a\"b\u00e9\n")") + " ";
  const std::string bytes = "\"\\{}[]:,01 e\x80\xFFn";
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char c : bytes) {
      std::string changed = whole;
      changed[at] = c;
      const StoredBody parsed = parse_body(changed);
      for (const auto& output : parsed.outputs) {
        REQUIRE(output.begin < output.end);
        REQUIRE(output.end <= changed.size());
      }
      compare_bodies(parse_body(whole), parsed);
    }
    CHECK_FALSE(parse_body(whole.substr(0, std::min(at, whole.size() - 2))).readable);
  }
}

TEST_CASE("what was changed in a body is told by its bytes") {
  const std::string sent = body(R"("long\ntext")");
  CHECK(change(sent, sent) == Change::none);
  CHECK(change(sent, body(R"("short")")) == Change::outputs_only);
  std::string respelled = body(R"("short")");
  respelled.insert(respelled.find(':') + 1, " ");
  CHECK(change(sent, respelled) == Change::respelled);
  std::string other = body(R"("long\ntext")");
  other.replace(other.find("user"), 4, "tool");
  CHECK(change(sent, other) == Change::other);
  CHECK(change(sent, R"({"input":[]})") == Change::other);
  CHECK(change(sent, "not JSON") == Change::unknown);
  CHECK(change("not JSON", "not JSON") == Change::none);
}

TEST_CASE("a fact counts when one of its spellings stands in a tool output's text") {
  const Fact fact{"line", {"req-1 failed", "\"id\": 1"}};
  CHECK(holds_fact(parse_body(body(R"("so: req-1 failed")")), fact));
  CHECK(holds_fact(parse_body(body(R"("{\"id\": 1}")")), fact));
  CHECK_FALSE(holds_fact(parse_body(body(R"("req-1  failed")")), fact));
  std::string outside = body(R"("nothing")");
  outside.replace(outside.find("\"m\""), 3, "\"req-1 failed\"");
  CHECK_FALSE(holds_fact(parse_body(outside), fact));
}

TEST_CASE("the words of a fact are found when its record was taken apart, as whole words") {
  const Fact fact{"record", {R"({"id":"r-7","tries":6})"}};
  CHECK(holds_words_of(parse_body(body(R"("id,tries\nr-6,5\nr-7,6")")), fact));
  CHECK_FALSE(holds_words_of(parse_body(body(R"("id,tries\nr-6,5\nr-7,66")")), fact));
  CHECK_FALSE(holds_words_of(parse_body(body(R"("id,tries\nr-70,6")")), fact));
  CHECK_FALSE(holds_fact(parse_body(body(R"("id,tries\nr-7,6")")), fact));
}

TEST_CASE("outputs that were given back are compared value for value") {
  const StoredBody sent = parse_body(body(R"("a\u000ab")"));
  CHECK(difference_of_outputs(sent, parse_body(body(R"("a\nb")"))).empty());
  CHECK(difference_of_outputs(sent, parse_body(body(R"("a\nc")"))) ==
        "output 1 differs from byte 2 on");
  CHECK(difference_of_outputs(sent, parse_body(body(R"("a\nb ")"))) ==
        "output 1 differs from byte 3 on");
  CHECK(difference_of_outputs(sent, parse_body("{}")) ==
        "the decoder gave 0 tool outputs, 1 were sent");
  CHECK(difference_of_outputs(sent, parse_body("")) == "the decoder's result is not JSON");
}
