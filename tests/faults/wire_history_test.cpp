// Conversations of many turns in every wire format: what was sent once is sent again in the same
// bytes, and the originals come back, whatever is cached, evicted, interleaved or run in parallel.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "proxy/wire/json_string.h"
#include "proxy/wire/rewriter.h"
#include "tests/support/wire_bodies.h"

using namespace tare;
using namespace tare::test;
using namespace std::string_literals;

namespace {

constexpr std::size_t plenty = std::size_t{64} << 20;

std::vector<Turn> first_turns(const std::vector<Turn>& turns, std::size_t count) {
  return {turns.begin(), turns.begin() + static_cast<std::ptrdiff_t>(count)};
}

std::string sent(const wire::Rewritten& result, const std::string& body) {
  return result.body.empty() ? body : result.body;
}
std::string sent_uncached(const WireFormat& format, const std::string& body) {
  return sent(wire::rewrite(format.target, body, {}), body);
}
std::string sent_by(wire::Rewriter& rewriter, const WireFormat& format, const std::string& body) {
  return sent(rewriter.rewrite(format.target, body), body);
}

std::vector<Turn> turns_of(std::uint64_t seed, std::size_t count) {
  Random random(seed);
  return make_turns(random, count);
}

}  // namespace

TEST_CASE("a history of 60 turns is sent with the same prefix in every turn, cold and warm") {
  for (const auto& format : wire_formats) {
    const auto turns = turns_of(1, 60);
    wire::Rewriter rewriter({});
    std::string previous;
    for (std::size_t count = 1; count <= turns.size(); ++count) {
      const auto body = body_of(format, first_turns(turns, count));
      const auto now = sent_by(rewriter, format, body);
      INFO(format.name << ", turn " << count);
      REQUIRE(now.starts_with(previous));
      // A restart, or another replica, forgets all.
      if (count % 10 == 0) REQUIRE(now == sent_uncached(format, body));
      previous = now.substr(0, now.size() - format.tail.size());
    }
    CHECK(previous.size() < history_of(format, turns).size() * 8 / 10);
  }
}

TEST_CASE("what is sent expands to what the client wrote") {
  for (const auto& format : wire_formats) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      const auto body = body_of(format, turns_of(seed, 20));
      const auto small = sent_uncached(format, body);
      INFO(format.name << " " << seed);
      REQUIRE(small.size() < body.size());
      const auto restored = wire::expand_body(small, plenty);
      REQUIRE(restored);
      REQUIRE(*restored == body);
      REQUIRE(*wire::expand_body(small, plenty, format.target) == body);
    }
  }
}

TEST_CASE("a cache of any size changes no byte, over interleaved and forked conversations") {
  const auto cache_bytes = GENERATE(std::size_t{0}, std::size_t{20'000}, std::size_t{150'000},
                                    wire::Rewriter::usual_cache_bytes);
  wire::Rewriter rewriter({}, cache_bytes);
  Random random(cache_bytes);
  std::vector<std::vector<Turn>> conversations;
  for (std::uint64_t seed = 0; seed < 4; ++seed) conversations.push_back(turns_of(seed % 3, 16));
  for (int request = 0; request < 60; ++request) {
    auto& turns = conversations[random.below(conversations.size())];
    auto some = first_turns(turns, 1 + random.below(turns.size()));
    if (random.one_in(5)) some[random.below(some.size())].text += "edited\n";
    if (random.one_in(8)) some[random.below(some.size())].call_id = "call_other";
    const auto& format = wire_formats[random.below(wire_formats.size())];
    const auto body = body_of(format, some);
    INFO(cache_bytes << " bytes, request " << request);
    REQUIRE(sent_by(rewriter, format, body) == sent_uncached(format, body));
    REQUIRE(rewriter.cache().memory_bytes() <= cache_bytes);
  }
}

TEST_CASE("eight threads send what one sends") {
  const auto& format = wire_formats[GENERATE(0U, 1U, 2U)];
  const auto turns = turns_of(5, 24);
  std::vector<std::string> bodies;
  std::vector<std::string> expected;
  for (std::size_t count = 2; count <= turns.size(); count += 2) {
    bodies.push_back(body_of(format, first_turns(turns, count)));
    expected.push_back(sent_uncached(format, bodies.back()));
  }
  std::vector<int> differences(8);
  {
    std::vector<std::jthread> threads;
    for (std::size_t thread = 0; thread < differences.size(); ++thread) {
      threads.emplace_back([&, thread] {
        wire::Rewriter rewriter({});
        for (std::size_t i = 0; i < bodies.size(); ++i) {
          const auto at = (i * (2 * thread + 1)) % bodies.size();  // each in an order of its own
          const auto result = thread % 2 == 0 ? rewriter.rewrite(format.target, bodies[at])
                                              : wire::rewrite(format.target, bodies[at], {});
          differences[thread] += sent(result, bodies[at]) != expected[at] ? 1 : 0;
        }
      });
    }
  }
  for (const int difference : differences) CHECK(difference == 0);
}

TEST_CASE("an output equal but for its first line costs little more than that line") {
  Random random(3);
  const auto text = generated::service_log(random) + generated::service_log(random);
  for (const auto& format : wire_formats) {
    Turn first{"call_1", "exec_command", "{}", "Chunk ID: 7\nWall time: 0.21 s\n" + text};
    Turn second{"call_2", "exec_command", "{}", "Chunk ID: 9\nWall time: 3.12 s\n" + text};
    const auto one = sent_uncached(format, body_of(format, {first}));
    const auto body = body_of(format, {first, second});
    const auto both = sent_uncached(format, body);
    INFO(both);
    const auto items = format.turn(second).size() - second.text.size();
    CHECK(both.size() < one.size() + items + 200);
    CHECK(*wire::expand_body(both, plenty) == body);
  }
}

namespace {

std::string rows_of(int count) {
  std::string rows;
  for (int i = 0; i < count; ++i)
    rows += fmt::format("10:{:02} worker <{}> took {}ms path=/srv/{}\n", i % 60, i % 7,
                        i * 37 % 1000, i);
  return rows;
}

std::string output_item(std::string_view id, std::string_view json_string) {
  return fmt::format(R"({{"type":"function_call_output","call_id":"{}","output":{}}})", id,
                     json_string);
}

std::string quoted(std::string_view text) {
  return wire::encode(text, wire::Spelling::shortest).value();
}

std::string responses_request(const std::vector<std::string>& items, std::string_view more = "") {
  return fmt::format("{{{}\"input\":[{}]}}", more, fmt::join(items, ","));
}

std::string rewritten_request(const std::string& body) {
  const auto result = wire::rewrite("/v1/responses", body, {});
  const auto now = sent(result, body);
  CHECK(wire::expand_body(now, std::size_t{1} << 20).value() == body);
  // The same when part of it was seen before.
  wire::Rewriter rewriter({});
  for (int i = 0; i < 2; ++i) CHECK(sent(rewriter.rewrite("/v1/responses", body), body) == now);
  return now;
}

}  // namespace

TEST_CASE("nothing refers to an id that two outputs have, nor an output to itself") {
  const std::string rows = quoted(rows_of(60));
  // What has the id again: the same output, a short one, the id in escapes, a list of two texts.
  const auto* const second_id = GENERATE("call_1", "call_\\u0031");
  const auto second =
      GENERATE_COPY(as<std::string>(), rows, quoted("short"),
                    R"([{"type":"output_text","text":"a"},{"type":"output_text","text":"b"}])"s);
  const auto once = rewritten_request(
      responses_request({output_item("call_1", rows), output_item("call_2", rows)}));
  CHECK(once.find("~@call_1") != std::string::npos);
  const auto twice = rewritten_request(responses_request(
      {output_item("call_1", rows), output_item(second_id, second), output_item("call_2", rows)}));
  CHECK(twice.find("~@call_1") == std::string::npos);
}

TEST_CASE("nothing is referred to that the upstream may drop") {
  const std::string rows = quoted(rows_of(60));
  const std::vector<std::string> items = {output_item("call_1", rows), output_item("call_2", rows)};
  for (const char* more : {R"("truncation":"auto",)", R"("context_management":{"edits":[]},)"}) {
    CHECK(rewritten_request(responses_request(items, more)).find("~@") == std::string::npos);
  }
  for (const char* more : {"", R"("truncation":"disabled",)", R"("truncation":null,)"}) {
    CHECK(rewritten_request(responses_request(items, more)).find("~@call_1") != std::string::npos);
  }
}

TEST_CASE("a text whose inner strings are spelled in an unusual way comes back byte for byte") {
  const auto usual = quoted(rows_of(60));
  const auto replaced = [](std::string text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
    return text;
  };
  const auto inner = GENERATE_COPY(as<std::string>(), usual, replaced(usual, "<", "\\u003c"),
                                   replaced(usual, "/", "\\/"), replaced(usual, "r", "\\u0072"));
  const auto envelope = GENERATE(R"({{"output":{},"metadata":{{"exit_code":0}}}})"s,
                                 R"([{{"type":"text","text":{}}}])"s);
  rewritten_request(responses_request(
      {output_item("call_1", quoted(fmt::format(fmt::runtime(envelope), inner)))}));
}
