#include "analysis/cost_model.h"

#include <catch2/catch.hpp>

#include "analysis/prompt_prefix.h"

using namespace tare::analysis;
using Catch::Matchers::Contains;

namespace {

// Every byte is a token.
Tokenizer byte_tokens() {
  return Tokenizer(O200k::parse("YQ== 0\n", "bytes").value());
}

CostModel example() {
  const auto model = read_cost_model(TARE_SOURCE_DIR "/data/cost-model.json");
  REQUIRE(model);
  return *model;
}

std::vector<TurnTokens> turns_of(const std::vector<std::string_view>& bodies) {
  const auto tokenizer = byte_tokens();
  return TurnCounter(tokenizer).count(bodies);
}

}  // namespace

TEST_CASE("the costs of docs/cost-model.md") {
  const auto model = example();
  const auto kept = cost_of({{2000, 0, false}, {3000, 2000, true}}, model);
  CHECK(kept.cached_tokens == 1920);
  CHECK(kept.written_tokens == 2000 + 1080);
  CHECK(kept.money == Approx(0.008084));
  const auto broken = cost_of({{2000, 0, false}, {3000, 500, false}}, model);
  CHECK(broken.cached_tokens == 0);
  CHECK(broken.money == Approx(0.0125));
  const auto halved = cost_of({{1000, 0, false}, {1500, 0, false}}, model);
  CHECK(halved.plain_tokens == 1000);
  CHECK(halved.written_tokens == 1500);
  CHECK(halved.money == Approx(0.00575));
}

TEST_CASE("a cost model's faults are told with their fields") {
  for (const auto& [text, fault] : std::vector<std::pair<std::string, std::string>>{
           {"[]", "not a JSON object"},
           {R"({"schema":"tare-cost-model/2"})", "/schema: expected tare-cost-model/1"},
           {R"({"schema":"tare-cost-model/1","title":"t","currency":"c","input_per_million":-1})",
            "/input_per_million"}}) {
    const auto model = parse_cost_model(text);
    REQUIRE_FALSE(model);
    CHECK_THAT(model.error().message, Contains(fault));
  }
}

TEST_CASE("a prompt is tools, instructions and items, however it is spelled") {
  CHECK(prompt_pieces(R"({"input":[{"role":"user","content":"a\nb"},{"output":"c"}],)"
                      R"("instructions":"be","tools":[{"b":1,"a":2}],"model":"m"})") ==
        std::vector<std::string>{R"([{"a":2,"b":1}])", "be\n", "a\nb\nuser\n", "c\n"});
  CHECK(prompt_pieces(R"({"messages":[{"content":"x"}],"system":"s"})") ==
        std::vector<std::string>{"s\n", "x\n"});
  CHECK(prompt_pieces("no JSON").empty());
  CHECK(prompt_pieces(R"({"input":"q"})") == std::vector<std::string>{"q\n"});
}

TEST_CASE("what a turn shares with the one before") {
  const auto turns = turns_of({R"({"input":["aaa","bbb"]})", R"({"input":["aaa","bbb","ccc"]})",
                               R"({"input":["aaa","bXb","ccc","dd"]})"});
  REQUIRE(turns.size() == 3);
  CHECK(turns[0].tokens == 8);
  CHECK(turns[0].shared == 0);
  CHECK_FALSE(turns[0].stable);
  CHECK(turns[1].tokens == 12);
  CHECK(turns[1].shared == 8);
  CHECK(turns[1].stable);
  CHECK(turns[2].tokens == 15);
  CHECK(turns[2].shared == 5);  // "aaa\n" and "b"
  CHECK_FALSE(turns[2].stable);
}

TEST_CASE("half a character is not shared") {
  CHECK(turns_of({"{\"input\":[\"\xC3\xA9\"]}", "{\"input\":[\"\xC3\xA8\"]}"})[1].shared == 0);
}
