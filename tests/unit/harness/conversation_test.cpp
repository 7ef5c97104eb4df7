#include "harness/conversation.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/hash.h"

using namespace tare::harness;
using Json = nlohmann::json;

namespace {

std::vector<SourceOutput> sources() {
  std::vector<SourceOutput> all;
  for (const char* class_name : {"code", "log", "prose", "test"}) {
    for (int i = 0; i < 10; ++i) {
      std::string text;
      for (int line = 0; line < 40; ++line) {
        text += class_name + std::to_string(i) + " line " + std::to_string(line) + "\n";
      }
      all.push_back({class_name, class_name + std::to_string(i), text});
    }
  }
  return all;
}

bool equal(const Turn& a, const Turn& b) {
  return a.tool == b.tool && a.arguments == b.arguments && a.output == b.output &&
         a.repeat == b.repeat;
}

bool was_there(const std::vector<Turn>& turns, std::size_t n) {
  return std::any_of(turns.begin(), turns.begin() + static_cast<std::ptrdiff_t>(n),
                     [&](const Turn& turn) { return turn.output == turns[n].output; });
}

}  // namespace

TEST_CASE("a longer conversation of the same seed begins alike") {
  const auto texts = sources();
  const auto longer = make_conversation(texts, 7, 60);
  for (const std::size_t turns : {1U, 9U, 10U, 30U}) {
    const auto shorter = make_conversation(texts, 7, turns);
    REQUIRE(shorter.size() == turns);
    CHECK(std::equal(shorter.begin(), shorter.end(), longer.begin(), equal));
  }
  CHECK_FALSE(equal(make_conversation(texts, 8, 1)[0], longer[0]));
}

TEST_CASE("a seed gives the same conversation on every machine") {
  const auto body = conversation_body(Route::responses, make_conversation(sources(), 1, 30));
  CHECK(tare::sha256_hex(body) ==
        "490c02a7650a8cd328152bc7551d28d27d6e9b8f3710723826ce181f00af1629");
}

TEST_CASE("half of the turns repeat an earlier one, in every way") {
  const auto turns = make_conversation(sources(), 3, 64);
  std::map<Repeat, int> kinds;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    ++kinds[turns[i].repeat];
    if (turns[i].repeat == Repeat::again) CHECK(was_there(turns, i));
  }
  CHECK(kinds[Repeat::none] >= 32);
  CHECK(kinds[Repeat::again] >= 15);
  CHECK(kinds[Repeat::edited] >= 7);
  CHECK(kinds[Repeat::rerun] >= 7);
}

TEST_CASE("files are read and edited, commands run again") {
  for (const Turn& turn : make_conversation(sources(), 5, 64)) {
    const bool file = turn.output.starts_with("code") || turn.output.starts_with("prose") ||
                      turn.tool == "read_file";
    CHECK(turn.tool == (file ? "read_file" : "exec_command"));
    CHECK(Json::parse(turn.arguments).contains(file ? "path" : "cmd"));
  }
}

TEST_CASE("each format holds the outputs, joined to their calls") {
  const auto turns = make_conversation(sources(), 2, 12);
  const auto responses = Json::parse(conversation_body(Route::responses, turns));
  const auto chat = Json::parse(conversation_body(Route::chat, turns));
  const auto messages = Json::parse(conversation_body(Route::messages, turns));
  REQUIRE(responses["input"].size() == 1 + 2 * turns.size());
  REQUIRE(chat["messages"].size() == 1 + 2 * turns.size());
  REQUIRE(messages["messages"].size() == 1 + 2 * turns.size());
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const Json& call = responses["input"][1 + 2 * i];
    const Json& output = responses["input"][2 + 2 * i];
    CHECK(call["call_id"] == output["call_id"]);
    CHECK(call["name"] == turns[i].tool);
    CHECK(output["output"] == turns[i].output);
    CHECK(chat["messages"][1 + 2 * i]["tool_calls"][0]["id"] ==
          chat["messages"][2 + 2 * i]["tool_call_id"]);
    CHECK(chat["messages"][2 + 2 * i]["content"] == turns[i].output);
    const Json& result = messages["messages"][2 + 2 * i]["content"][0];
    CHECK(messages["messages"][1 + 2 * i]["content"][0]["id"] == result["tool_use_id"]);
    CHECK(result["content"] == turns[i].output);
  }
}

TEST_CASE("one source, an empty one and one that is not UTF-8 make conversations too") {
  for (const std::string text : {"", "x", "\xFF\xFE\n1\n", "no line end 1"}) {
    const std::vector<SourceOutput> one{{"log", "a", text}};
    const auto turns = make_conversation(one, 1, 40);
    CHECK(turns.size() == 40);
    CHECK(Json::accept(conversation_body(Route::messages, turns)));
  }
}

TEST_CASE("a format that there is not is wrong usage") {
  CHECK(route_from("chat") == Route::chat);
  const auto none = route_from("completions");
  REQUIRE_FALSE(none);
  CHECK(none.error().code == tare::Error::Code::usage);
}
