#include "proxy/wire/responses.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace std::string_literals;
using namespace tare::wire;

namespace {

using Outputs = std::vector<std::string>;

// The located strings as they stand in the body, or {"unread"}.
Outputs located(const std::string& body) {
  ToolTraffic traffic;
  if (!ResponsesFormat().locate(body, traffic)) return {"unread"};
  Outputs outputs;
  for (const ToolOutput& output : traffic.outputs) outputs.emplace_back(output.text.of(body));
  return outputs;
}

const Outputs unread = {"unread"};
const Outputs none = {};

std::string item(const std::string& output) {
  return R"({"type":"function_call_output","call_id":"c","output":)" + output + "}";
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

}  // namespace

TEST_CASE("outputs are found in the order of the body, as they are spelled") {
  CHECK(located(R"({"model":"m","input":[)" + item(R"("a\n\u00e9")") + "," +
                R"({"type":"message","content":"x"},)" + item("\"b\"") + R"(],"stream":true})") ==
        Outputs{R"("a\n\u00e9")", "\"b\""});
}

TEST_CASE("the order of an item's members does not matter") {
  CHECK(located(R"({"input":[{"output":"o","call_id":"c","type":"function_call_output"}]})") ==
        Outputs{"\"o\""});
}

TEST_CASE("odd white space belongs to no string") {
  CHECK(located("\r\n\t { \"input\" \n:\t[ \r\n{ \"output\" : \"o \\\" \" \t\n , \"type\"  :\n"
                "\"function_call_output\"\n  }\t]\n}\n \n") == Outputs{R"("o \" ")"});
}

TEST_CASE("other items are not tool outputs") {
  CHECK(located(R"({"input":[{"type":"message","output":"o"}]})") == none);
  CHECK(located(R"({"input":[{"output":"o"}]})") == none);
  CHECK(located(R"({"input":[{"type":"function_call_output"}]})") == none);
  CHECK(located(R"({"input":[{"type":"function_call_output_x","output":"o"}]})") == none);
  CHECK(located(R"({"input":[{"type":["function_call_output"],"output":"o"}]})") == none);
  CHECK(located(R"({"input":["function_call_output",1,null,[],[{"type":"x"}]]})") == none);
}

TEST_CASE("an output that is no string is left alone") {
  for (const auto* output :
       {R"([{"type":"input_image","text":"t"}])", R"({"output":"o"})", "null", "1.0", "true"}) {
    CHECK(located(R"({"input":[)" + item(output) + "," + item("\"s\"") + "]}") == Outputs{"\"s\""});
  }
}

TEST_CASE("outputs elsewhere in the body are not the model's input") {
  const auto nested = "[" + item("\"o\"") + "]";
  CHECK(located(R"({"metadata":{"input":)" + nested + "}}") == none);
  CHECK(located(R"({"tools":)" + nested + R"(,"input":"text"})") == none);
  CHECK(located(R"({"input":{"input":)" + nested + "}}") == none);
  CHECK(located(R"({"input":[{"type":"message","content":)" + nested + "}]}") == none);
  CHECK(located(R"({"input":[)" + nested + "]}") == none);
  CHECK(located(R"({"input":[{"type":"function_call_output","output":)" + nested + "}]}") == none);
}

TEST_CASE("an item whose type or output stands twice is left alone") {
  CHECK(located(R"({"input":[{"type":"function_call_output","output":"a","output":"b"},)" +
                item("\"s\"") + "]}") == Outputs{"\"s\""});
  CHECK(located(R"({"input":[{"type":"message","type":"function_call_output","output":"a"}]})") ==
        none);
  CHECK(located(R"({"input":[{"type":"function_call_output","output":"a","output":[]}]})") == none);
}

TEST_CASE("a body whose input stands twice is left alone") {
  CHECK(located(R"({"input":[)" + item("\"a\"") + R"(],"input":[]})") == unread);
}

TEST_CASE("unknown and repeated members beside the output do not matter") {
  CHECK(
      located(
          R"({"x":1,"x":2,"input":[{"call_id":"a","call_id":"b","": {},"output":"o","type":"function_call_output","status":null}]})") ==
      Outputs{"\"o\""});
}

TEST_CASE("a key written with escapes is none of ours") {
  CHECK(located(R"({"inp\u0075t":[)" + item("\"a\"") + "]}") == none);
  CHECK(located(R"({"input":[{"type":"function_call_output","o\u0075tput":"o"}]})") == none);
}

TEST_CASE("lone surrogates anywhere do not stop the search") {
  CHECK(located(R"({"instructions":"\ud800","input":[)" + item(R"("\udc00\"")") + "]}") ==
        Outputs{R"("\udc00\"")"});
}

TEST_CASE("bodies that are not one JSON object are not read") {
  const auto good = R"({"input":[)" + item("\"o\"") + "]}";
  REQUIRE(located(good) == Outputs{"\"o\""});
  CHECK(located("") == unread);
  CHECK(located(" \n") == unread);
  CHECK(located("not json") == unread);
  CHECK(located("[" + good + "]") == unread);
  CHECK(located("\"text\"") == unread);
  CHECK(located("null") == unread);
  CHECK(located("\xEF\xBB\xBF" + good) == unread);
  CHECK(located(good + "}") == unread);
  CHECK(located(good + "x") == unread);
  CHECK(located(good + "\n" + good) == unread);
  CHECK(located(good + "\0"s) == unread);
  CHECK(located(R"({"input":[)" + item("\"\xFF\"") + "]}") == unread);
  CHECK(located(R"({"input":[)" + item("\"raw \n newline\"") + "]}") == unread);
  CHECK(located(R"({"input":[)" + item("\"o\"") + R"(] "stream":true})") == unread);
  CHECK(located(R"({input:[)" + item("\"o\"") + "]}") == unread);
}

TEST_CASE("a body broken off at any byte is not read") {
  const auto good = R"({"model":"m","input":[{"type":"message","content":[{"a":1}]},)" +
                    item(R"("o\n\"")") + R"(,{"x":[1,2]}],"stream":false,"n":{"a":[]}})";
  REQUIRE(located(good) == Outputs{R"("o\n\"")"});
  for (std::size_t size = 0; size < good.size(); ++size) {
    INFO(good.substr(0, size));
    CHECK(located(good.substr(0, size)) == unread);
  }
}

TEST_CASE("deep nesting around an output does not matter") {
  const auto deep = repeated("[", 10000) + repeated("]", 10000);
  const auto objects = repeated("{\"a\":", 10000) + "1" + repeated("}", 10000);
  CHECK(located(R"({"a":)" + deep + R"(,"input":[)" + deep + "," + item("\"o\"") + R"(,{"type":)" +
                objects + R"(}],"b":)" + objects + "}") == Outputs{"\"o\""});
}

TEST_CASE("a body of several MiB is read like a small one, and small ones after it") {
  const auto large = "\"" + std::string(5 << 20, 'x') + "\"";
  CHECK(located(R"({"input":[)" + item(large) + "]}") == Outputs{large});
  CHECK(located(R"({"input":[)" + item("\"o\"") + "]}") == Outputs{"\"o\""});
}

TEST_CASE("the endpoint is known by the end of its path") {
  const ResponsesFormat format;
  CHECK(format.takes("/v1/responses"));
  CHECK(format.takes("/backend-api/codex/responses"));
  CHECK(format.takes("/responses"));
  CHECK_FALSE(format.takes("/v1/responses/compact"));
  CHECK_FALSE(format.takes("/v1/responses/input_tokens"));
  CHECK_FALSE(format.takes("/v1/responses/resp_1/cancel"));
  CHECK_FALSE(format.takes("/v1/responses/"));
  CHECK_FALSE(format.takes("/v1/myresponses"));
  CHECK_FALSE(format.takes("responses"));
  CHECK_FALSE(format.takes("/v1/chat/completions"));
  CHECK(format_of("/v1/responses?beta=true&x=/y#z") != nullptr);
  CHECK(format_of("/v1/models?path=/v1/responses") == nullptr);
}
