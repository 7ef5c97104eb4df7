#include "proxy/wire/output_cache.h"

#include <catch2/catch.hpp>
#include <string>

#include "proxy/wire/rewriter.h"
#include "tests/support/wire_bodies.h"

using namespace tare;
using namespace tare::wire;

namespace {

constexpr std::size_t plenty = std::size_t{1} << 20;

OutputKey key(std::string_view json_string, std::string_view name = "") {
  return {.json_string = json_string, .name = name, .tool = "\"t\"", .arguments = "\"{}\""};
}

// Walks along `texts`, inserting what is not known; how many were.
int walk(OutputCache& cache, const std::vector<std::string>& texts) {
  cache.begin();
  int known = 0;
  bool kept = true;
  for (const auto& text : texts) {
    if (!kept) break;
    if (const auto* found = cache.find(key(text))) {
      CHECK(*found == Replacement("form of " + text));
      ++known;
    } else {
      kept = cache.insert(key(text), "form of " + text) != nullptr;
    }
  }
  return known;
}

}  // namespace

TEST_CASE("an output is known only after the same outputs") {
  OutputCache cache(plenty);
  CHECK(walk(cache, {"a", "b", "c"}) == 0);
  CHECK(walk(cache, {"a", "b", "c"}) == 3);
  CHECK(walk(cache, {"a", "c"}) == 1);
  CHECK(walk(cache, {"b", "c"}) == 0);
  CHECK(walk(cache, {"a", "b", "c", "c"}) == 3);
  CHECK(cache.size() == 7);
}

TEST_CASE("an entry is known by all that its replacement depends on") {
  OutputCache cache(plenty);
  cache.begin();
  cache.insert({.json_string = "abc", .name = "n", .tool = "t", .arguments = "x"}, "form");
  const auto is_known = [&](const OutputKey& key) {
    cache.begin();
    return cache.find(key) != nullptr;
  };
  CHECK(is_known({.json_string = "abc", .name = "n", .tool = "t", .arguments = "x"}));
  CHECK_FALSE(is_known({.json_string = "abd", .name = "n", .tool = "t", .arguments = "x"}));
  CHECK_FALSE(is_known({.json_string = "abc", .name = "m", .tool = "t", .arguments = "x"}));
  CHECK_FALSE(is_known({.json_string = "abc", .name = "n", .tool = "u", .arguments = "x"}));
  CHECK_FALSE(is_known({.json_string = "abc", .name = "n", .tool = "t", .arguments = "y"}));
  CHECK_FALSE(is_known({.json_string = "abcn", .name = "", .tool = "t", .arguments = "x"}));
  CHECK_FALSE(is_known({.json_string = "ab", .name = "cn", .tool = "t", .arguments = "x"}));
}

TEST_CASE("texts of one hash are told apart") {
  // The hash samples 16 words of a text; these differ between them.
  std::string one(100'000, 'x');
  std::string two = one;
  two[3000] = 'y';
  OutputCache cache(plenty);
  CHECK(walk(cache, {one, "a"}) == 0);
  CHECK(walk(cache, {two}) == 0);
  CHECK(walk(cache, {two, "a"}) == 1);
  CHECK(walk(cache, {one, "a"}) == 2);
}

TEST_CASE("what was used least recently goes first, and never an entry with children") {
  OutputCache cache(9'000);
  const std::string large(1000, 'x');
  CHECK(walk(cache, {large, large + "1", large + "2"}) == 0);
  CHECK(walk(cache, {"other"}) == 0);
  CHECK(walk(cache, {large, large + "1", large + "2"}) == 3);
  CHECK(walk(cache, {large + "3"}) == 0);  // needs the room of "other" and of the last child
  CHECK(cache.memory_bytes() <= 9'000);
  CHECK(walk(cache, {large, large + "1", large + "2"}) == 2);
  for (int i = 0; i < 200; ++i) {
    walk(cache, {large + std::to_string(i % 7), "b" + std::to_string(i), large});
    REQUIRE(cache.memory_bytes() <= 9'000);
  }
}

TEST_CASE("a request that needs more than all of the room keeps what fits") {
  OutputCache cache(5'000);
  const std::string large(1000, 'x');
  CHECK(walk(cache, {large + "1", large + "2", large + "3", large + "4"}) == 0);
  CHECK(walk(cache, {large + "1", large + "2", large + "3", large + "4"}) >= 1);
  CHECK(cache.memory_bytes() <= 5'000);
  CHECK(walk(cache, {std::string(10'000, 'y')}) == 0);
  OutputCache none(0);
  CHECK(walk(none, {"a"}) == 0);
  CHECK(walk(none, {"a"}) == 0);
}

TEST_CASE("the originals are handed on, and made again after a fork") {
  const std::string text(300, 'x');
  const std::string json = "\"" + text + "\"";
  OutputCache cache(plenty);
  cache.begin();
  auto originals = cache.take_originals();
  cache.insert(key(json, "call_1"), std::nullopt);
  originals->add("call_1", text);
  const auto* const address = originals.get();
  const auto bytes_without = cache.memory_bytes();
  cache.keep_originals(std::move(originals));
  CHECK(cache.memory_bytes() >= bytes_without + text.size());

  cache.begin();
  REQUIRE(cache.find(key(json, "call_1")));
  auto taken = cache.take_originals();
  CHECK(taken.get() == address);
  CHECK(cache.memory_bytes() == bytes_without);
  auto again = cache.take_originals();
  REQUIRE(again->earlier().size() == 1);
  CHECK(again->earlier().name(0) == "call_1");
  CHECK(again->earlier().text(0) == text);
}

TEST_CASE("only the new output of a history is compacted") {
  test::Random random(9);
  const auto turns = test::make_turns(random, 30);
  for (const auto& format : test::wire_formats) {
    int compacted = 0;
    const auto count_only = [&](std::string_view, Treatment, const compact::Earlier&,
                                const std::stop_token&) {
      ++compacted;
      return compact::Compacted{};
    };
    Rewriter rewriter({}, count_only, Rewriter::usual_cache_bytes);
    for (std::size_t count = 1; count <= turns.size(); ++count) {
      rewriter.rewrite(format.target,
                       test::body_of(format, {turns.begin(),
                                              turns.begin() + static_cast<std::ptrdiff_t>(count)}));
    }
    CHECK(compacted > 10);
    CHECK(compacted <= 30);
  }
}

TEST_CASE(
    "a request that nothing follows takes its output's memory once, and one that follows finds "
    "it") {
  const auto output = [](const std::string& id, const std::string& text) {
    return R"({"type":"function_call_output","call_id":")" + id + R"(","output":")" + text + "\"}";
  };
  const auto request = [](const std::string& outputs) { return R"({"input":[)" + outputs + "]}"; };
  std::string text;
  for (int i = 0; i < 200; ++i)
    text += "step " + std::to_string(i * i * 7919) + " of the tide table is done\\n";
  const std::string first = output("call_1", text);
  const std::string both = first + "," + output("call_2", text);
  Rewriter rewriter({});
  rewriter.rewrite("/v1/responses", request(first));
  CHECK(rewriter.cache().memory_bytes() > text.size());
  CHECK(rewriter.cache().memory_bytes() < 2 * text.size());
  const auto sent = rewriter.rewrite("/v1/responses", request(both));
  CHECK(sent.body == rewrite("/v1/responses", request(both), {}).body);
  CHECK(sent.body.find("~@call_1") != std::string::npos);
}
