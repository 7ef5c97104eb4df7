#include "proxy/wire/envelope.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "proxy/wire/output_text.h"

using namespace tare::wire;

namespace {

using Strings = std::vector<std::string>;

Strings strings(const std::string& text) {
  Strings result;
  for (const Span span : envelope_strings(text)) result.emplace_back(span.of(text));
  return result;
}

const Strings none = {};

}  // namespace

TEST_CASE("the output of a shell envelope is found, and its streams") {
  CHECK(strings(R"({"output":"a\n","metadata":{"exit_code":0,"duration_seconds":0.10}})") ==
        Strings{R"("a\n")"});
  CHECK(strings(R"({ "exit_code" : 1 , "stderr" : "e" , "stdout" : "o" })") ==
        Strings{"\"e\"", "\"o\""});
}

TEST_CASE("the text parts of an MCP result are found") {
  CHECK(strings(R"({"content":[{"type":"text","text":"a"},{"type":"image","data":"AA"},)"
                R"({"type":"text","text":"b"}],"isError":false})") == Strings{"\"a\"", "\"b\""});
  CHECK(strings(R"([{"type":"text","text":"a"},{"type":"text","text":"b"}])") ==
        Strings{"\"a\"", "\"b\""});
}

TEST_CASE("other texts are no envelopes") {
  for (const auto* text :
       {"", "{", "[]", "{}", "text", R"("output")", R"( {"output":"a"})", R"({"output":1})",
        R"({"output":"a"} and more)", R"({"output":"a")", R"({"a":{"output":"b"}})",
        R"([{"output":"a"}])", R"({"output":"a","output":"b"})", R"({"output":"a",})",
        R"([~{} compact, lossless, 2 lines]\n"text")", R"([{"type":"text"}])"}) {
    INFO(text);
    CHECK(strings(text) == none);
  }
}

TEST_CASE("data that happens to have such a member is no envelope") {
  const std::string around(2000, 'x');
  CHECK(strings(R"({"output":"a","data":")" + around + "\"}") == none);
  CHECK(strings(R"({"data":")" + around + R"(","output":"a"})") == none);
  CHECK(strings(R"({"output":")" + around + R"(","data":"a"})") == Strings{"\"" + around + "\""});
}

TEST_CASE("an envelope stays one when its strings are replaced") {
  for (const std::string text :
       {R"({"output":"a","metadata":{"exit_code":0}})", R"({"stderr":"e","x":[1],"stdout":"o"})",
        R"([{"type":"text","text":"a"}])", R"({"content":"c"})"}) {
    for (const std::string inner : {R"("")", R"("\"text\"")", R"("{\"output\":\"b\"}")",
                                    R"("[~{} compact, lossless, 1 lines]\n")"}) {
      std::string replaced;
      std::size_t done = 0;
      for (const Span span : envelope_strings(text)) {
        replaced += text.substr(done, span.begin - done) + inner;
        done = span.end;
      }
      replaced += text.substr(done);
      INFO(replaced);
      CHECK(strings(replaced) == Strings(envelope_strings(text).size(), inner));
    }
  }
}

TEST_CASE("an output is read as its texts and written with some of them replaced") {
  const auto plain = OutputText::read(R"("a\/\u00e9")");
  REQUIRE(plain);
  CHECK(plain->size() == 1);
  CHECK(plain->text(0) == "a/é");
  CHECK(plain->with({"ö"}) == R"("\u00f6")");
  CHECK(plain->with({std::nullopt}) == R"("a/\u00e9")");

  const auto envelope =
      OutputText::read(R"("{\"stdout\": \"a\\n\\u00e9\", \"n\": 1.0, \"stderr\": \"b \u00e9\"}")");
  REQUIRE(envelope);
  CHECK(envelope->size() == 2);
  CHECK(envelope->text(0) == "a\né");
  CHECK(envelope->text(1) == "b é");
  CHECK(envelope->with({"x\ty\xC3\xA9", std::nullopt}) ==
        R"("{\"stdout\": \"x\\ty\\u00e9\", \"n\": 1.0, \"stderr\": \"b \u00e9\"}")");
  CHECK_FALSE(envelope->with({"\xC3", std::nullopt}));
}

TEST_CASE("an envelope with a string that is not JSON's is a plain text") {
  const auto output = OutputText::read(R"("{\"stdout\": \"\\x\", \"stderr\": \"b\"}")");
  REQUIRE(output);
  CHECK(output->size() == 1);
  CHECK(output->text(0) == R"({"stdout": "\x", "stderr": "b"})");
  CHECK_FALSE(OutputText::read(R"("\x")"));
}
