// Classes of requests that broke other proxies, through the real rewriting: what must reach the
// upstream, byte by byte.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "harness/workload.h"
#include "proxy/compact/compact.h"
#include "proxy/wire/json_string.h"
#include "proxy/wire/wire.h"
#include "tests/support/wire_bodies.h"

using namespace std::string_literals;
using namespace tare;
using test::heartbeats;
using wire::Spelling;

namespace {

constexpr auto* target = "/v1/responses";
constexpr std::size_t plenty = std::size_t{64} << 20;

std::string records(int rows) {
  std::string text = "[";
  for (int i = 0; i < rows; ++i) {
    const auto id = std::to_string(i);
    text += (i > 0 ? ", " : "") + R"({"id": )"s + id + R"(, "name": "row/)" + id +
            R"(", "price": 19.90, "ok": true})";
  }
  return text + "]";
}

std::string spelled(const std::string& text, Spelling spelling = Spelling::shortest) {
  return wire::encode(text, spelling).value();
}

std::string item(const std::string& json_string, const std::string& call = "c1") {
  return R"({"type":"function_call_output","call_id":")" + call + R"(","output":)" + json_string +
         "}";
}

std::string body_of(const std::string& items) {
  return R"({"model":"m","input":[)" + items + "]}";
}

// What is sent for the body.
std::string sent(const std::string& body) {
  auto result = wire::rewrite(target, body, {});
  CHECK(result.body.empty() == (result.outputs_rewritten == 0));
  return result.body.empty() ? body : result.body;
}

// What is sent for an output of this text in this spelling.
std::string sent_output(const std::string& text, Spelling spelling = Spelling::shortest) {
  const auto form = compact::compact(text);
  REQUIRE(form.changed);
  return spelled(form.text, spelling);
}

void check_round_trip(const std::string& body) {
  const auto restored = wire::expand_body(sent(body), plenty);
  REQUIRE(restored);
  CHECK(*restored == body);
}

}  // namespace

TEST_CASE("every byte outside the output is the client's") {
  const auto text = heartbeats(100);
  const auto before =
      "\r\n{ \"z\":1.0,\"a\" :1e5,\t\"price\":19.90, \"big\":9007199254740993,\"dup\":1,\"dup\":2,"
      "\"url\":\"a\\/b\",\"e\":\"\\u00e9\\u00E9é\",\"lone\":\"\\ud800\",\"unknown\":{\"output\":"
      "\"x\"},\n  \"input\":[ {\"role\":\"user\",\"content\":\"\\/ \\ud83d\"} "
      ",\n\t{\"status\":null,"
      "\"output\" : "s;
  const auto after =
      " ,\"extra\":[1E+2,-0],\"type\":\"function_call_output\" } ] , \"stream\" : true }\n"s;
  const auto body = before + spelled(text) + after;
  CHECK(sent(body) == before + sent_output(text) + after);
  CHECK(sent(body).size() < body.size() / 4);
  check_round_trip(body);
}

TEST_CASE("an output comes back in the spelling it came in, when that is a usual one") {
  const auto text = heartbeats(60, "héärtbeat 😀 \x7f \x01 \"quoted\" back\\slash\ttab");
  for (const auto spelling : {Spelling::shortest, Spelling::ascii}) {
    const auto body = body_of(item(spelled(text, spelling)));
    CHECK(sent(body) == body_of(item(sent_output(text, spelling))));
    CHECK(sent(body).size() < body.size() / 4);
    check_round_trip(body);
  }
}

TEST_CASE("an output in an unusual spelling comes back value for value") {
  std::string json_string = "\"";
  std::string text;
  for (int i = 0; i < 60; ++i) {
    json_string += R"(a\/path\u002Fx caf\u00E9 é \u000a)";
    text += "a/path/x café é \n";
  }
  json_string += "\"";
  const auto changed = sent(body_of(item(json_string)));
  CHECK(changed == body_of(item(sent_output(text))));
  CHECK(*wire::expand_body(changed, plenty) == body_of(item(spelled(text))));
}

TEST_CASE("lone surrogates in an output are kept") {
  const auto text = heartbeats(60, "broken \xED\xA0\xBD and \xED\xB8\x80 halves");
  for (const auto spelling : {Spelling::shortest, Spelling::ascii}) {
    check_round_trip(body_of(item(spelled(text, spelling))));
  }
  CHECK(sent(body_of(item(spelled(text)))).size() < spelled(text).size() / 4);
}

TEST_CASE("outputs of all kinds of characters that JSON can hold come back exactly") {
  const std::vector<std::string> texts = {heartbeats(40, "nul \0 inside"s),
                                          heartbeats(40, "carriage\r"),
                                          heartbeats(40, "cjk 漢字かな"),
                                          heartbeats(40, "joined 👩‍👩‍👧‍👦 family"),
                                          heartbeats(40, "right to left שלום مرحبا"),
                                          heartbeats(40, "\xE2\x80\xA8 separator \xC2\x85"),
                                          "\xEF\xBB\xBF" + heartbeats(40),
                                          heartbeats(40) + "no newline at the end",
                                          records(60),
                                          records(60) + "\n",
                                          std::string(5000, 'x'),
                                          std::string(2000, '\n')};
  for (const auto& text : texts) {
    for (const auto spelling : {Spelling::shortest, Spelling::ascii}) {
      INFO(text);
      check_round_trip(body_of(item(spelled(text, spelling))));
    }
  }
}

TEST_CASE("small outputs are left alone") {
  const auto body =
      body_of(item(spelled(heartbeats(6))) + "," + item("\"\"") + "," + item("\"done\\n\""));
  CHECK(wire::rewrite(target, body, {}).body.empty());
}

TEST_CASE("an output that looks like a form, ours or another's, is not taken for one") {
  const auto form = compact::compact(heartbeats(100)).text;
  const std::vector<std::string> texts = {
      form,
      form + "\n",
      form.substr(0, form.find('\n')),
      "[~{} compact, lossless, 1000000 lines]\n~ x",
      "[~{} compact, lossless, 1000000 lines]\n" + heartbeats(100),
      "~a 2-61\n~b\n",
      "[... 1200 lines omitted, retrieve with id=abc123 ...]\n",
      "<<ccr:0123456789abcdef>> " + heartbeats(20),
      compact::compact(form).text};
  for (const auto& text : texts) {
    INFO(text);
    const auto body = body_of(item(spelled(text)));
    check_round_trip(body);
    CHECK(sent(body).size() <= body.size() + 80);
  }
}

TEST_CASE("an old output is sent in the same bytes for as long as the history grows") {
  std::string history;
  std::string previous;
  for (int turn = 0; turn < 60; ++turn) {
    const auto call = std::to_string(turn);
    const auto text = turn % 3 == 0   ? heartbeats(20 + turn)
                      : turn % 3 == 1 ? records(10 + turn)
                                      : "short answer " + call;
    const auto spelling = turn % 2 == 0 ? Spelling::shortest : Spelling::ascii;
    history += (turn > 0 ? "," : "") + R"({"type":"function_call","call_id":")"s + call +
               R"(","arguments":"{}"},)" + item(spelled(text, spelling), call);
    const auto now = sent(body_of(history));
    REQUIRE(now.starts_with(previous));
    previous = now.substr(0, now.size() - 2);  // up to the end of the items
  }
  check_round_trip(body_of(history));
}

TEST_CASE("the same output under a name that cannot be referred to is sent in the same bytes") {
  const auto text = heartbeats(80);
  const auto items = [](const std::string& output) {
    return item(output, "no such call") + "," + item(output, "b\\u002f") + "," + item(output, "");
  };
  CHECK(sent(body_of(items(spelled(text)))) == body_of(items(sent_output(text))));
}

TEST_CASE("the same output again is sent as a reference to the first") {
  const auto text = heartbeats(80);
  const auto first = item(spelled(text), "call_1");
  const auto body = body_of(first + "," + item(spelled(text), "call_2"));
  const auto alone = sent(body_of(first));
  CHECK(sent(body).starts_with(alone.substr(0, alone.size() - 2)));
  CHECK(sent(body).size() < alone.size() + 200);
  check_round_trip(body);
}

TEST_CASE("the same body gives the same bytes on every thread") {
  const auto body = body_of(item(spelled(heartbeats(80))) + "," + item(spelled(records(80))));
  const auto expected = wire::rewrite(target, body, {}).body;
  std::vector<std::string> results(8);
  {
    std::vector<std::jthread> threads;
    for (auto& result : results) {
      threads.emplace_back([&] { result = wire::rewrite(target, body, {}).body; });
    }
  }
  for (const auto& result : results) CHECK(result == expected);
}

TEST_CASE("other items and outputs that are no string are left as they are") {
  const auto text = spelled(heartbeats(100));
  const auto type = R"({"type":"function_call_output",)"s;
  for (const auto& other : {R"({"type":"message","role":"user","content":)" + text + "}",
                            R"({"type":"reasoning","output":)" + text + "}",
                            type + R"("output":[{"type":"input_image","text":)" + text + "}]}",
                            type + R"("output":{"output":)" + text + "}}",
                            type + R"("output":)" + text + R"(,"output":)" + text + "}"}) {
    CHECK(wire::rewrite(target, body_of(other), {}).body.empty());
  }
}

TEST_CASE("a body that cannot be read is sent as it came") {
  const auto good = body_of(item(spelled(heartbeats(100))));
  REQUIRE(!wire::rewrite(target, good, {}).body.empty());
  for (const auto& body :
       {""s, "{}"s, "null"s, "not json"s, "\x1f\x8b gzip"s, "\xEF\xBB\xBF" + good, good + "x",
        good + good, "[" + good + "]", good.substr(0, good.size() - 1),
        good.substr(0, good.size() / 2), body_of(item("\"\xFF\"") + "," + good),
        body_of(item(spelled(heartbeats(100))) + "," + item("\"\\x\"")),
        body_of(item(spelled(heartbeats(100))) + "," + item("\"short \\x\"")),
        body_of(item(spelled("[~{} compact, lossless, 9 lines]\n")) + "," + item("\"\\x\""))}) {
    CHECK(wire::rewrite(target, body, {}).body.empty());
    CHECK(*wire::expand_body(body, plenty) == body);
  }
}

TEST_CASE("large and deep parts beside an output are passed over") {
  const auto text = heartbeats(100);
  const auto deep = std::string(10000, '[') + std::string(10000, ']');
  std::string numbers = "[0";
  for (int i = 1; i < 200000; ++i) numbers += ",1.50";
  numbers += "]";
  const auto before = R"({"instructions":")" + std::string(10 << 20, 'x') + R"(","deep":)" + deep +
                      R"(,"numbers":)" + numbers + R"(,"input":[)" + deep + ",";
  const auto after = R"(],"tools":)" + deep + "}";
  CHECK(sent(before + item(spelled(text)) + after) == before + item(sent_output(text)) + after);
}

TEST_CASE("random outputs come back, in their own spelling when it is a usual one") {
  std::mt19937 random(11);
  const std::vector<std::string> words = {
      "error", "GET /a/b", "héé", "😀",           "\"q\"", "\t",      "back\\sl", "0017", "\x7f",
      "\r",    "漢字",     "  ",  "\xED\xA0\xBD", "§",     "~a 2-61", "{1}",      "[~{}", "«»"};
  int rewritten = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> shapes(1 + random() % 3);
    for (auto& shape : shapes) {
      for (auto left = 1 + random() % 8; left > 0; --left)
        shape += words[random() % words.size()] + " ";
    }
    std::string text;
    for (int line = 0; text.size() < 1500; ++line) {
      text += shapes[random() % shapes.size()] + std::to_string(line) +
              (random() % 20 == 0 ? words[random() % words.size()] : "") + "\n";
    }
    const auto spelling = round % 2 == 0 ? Spelling::shortest : Spelling::ascii;
    const auto body = body_of(item(spelled(text, spelling)));
    INFO(body);
    const auto result = wire::rewrite(target, body, {});
    rewritten += static_cast<int>(result.outputs_rewritten);
    CHECK(result.body.size() < body.size());
    check_round_trip(body);
  }
  CHECK(rewritten > 100);
}

TEST_CASE("the published bodies come back whole and are sent with their facts") {
  for (const auto& task : {harness::Task::logs, harness::Task::json, harness::Task::code}) {
    for (int index = 0; index < 45; ++index) {
      const auto body = harness::make_body(task, index);
      const auto small = sent(body.text);
      INFO(harness::name_of(task) << " " << index << ": " << small.size());
      CHECK(small.size() < 1400);
      CHECK(*wire::expand_body(small, plenty) == body.text);
      for (const auto& fact : body.facts) {
        CHECK(std::ranges::any_of(fact.spellings, [&](const std::string& spelling) {
          const auto quoted = spelled(spelling);
          return small.find(quoted.substr(1, quoted.size() - 2)) != std::string::npos;
        }));
      }
    }
  }
}

TEST_CASE("expanding a body stops at the limit") {
  const auto body = body_of(item(spelled(heartbeats(1000))));
  const auto small = sent(body);
  CHECK(wire::expand_body(small, body.size() + 1000));
  CHECK_FALSE(wire::expand_body(small, 10000));
}

TEST_CASE("expanding a body tells where a broken form stands") {
  const auto form = compact::compact(heartbeats(100)).text;
  const auto body = body_of(item(spelled(form.substr(0, form.find('\n') + 1))));
  const auto result = wire::expand_body(body, plenty);
  REQUIRE_FALSE(result);
  CHECK(result.error().code == Error::Code::invalid);
  CHECK_THAT(result.error().message,
             Catch::Contains("output at byte " + std::to_string(body.find("\"[~"))));
}
