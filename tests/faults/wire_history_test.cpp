// Conversations of many turns in every wire format: what was sent once is sent again in the same
// bytes, and the originals come back, whatever is cached, evicted, interleaved or run in parallel.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "proxy/wire/rewriter.h"
#include "tests/support/wire_bodies.h"

using namespace tare;
using namespace tare::test;

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
