// Every byte outside a tool output is the client's: whatever stands there is sent as it came, and a
// change of one byte changes that byte alone.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "proxy/wire/format.h"
#include "proxy/wire/wire.h"
#include "tests/support/wire_bodies.h"

using namespace tare;
using namespace tare::test;

namespace {

constexpr std::size_t plenty = std::size_t{64} << 20;

std::string sent(const WireFormat& format, const std::string& body) {
  const auto result = wire::rewrite(format.target, body, {});
  return result.body.empty() ? body : result.body;
}

// What clients write around outputs; each stands before and after one.
const std::vector<std::string> fragments = {
    R"("a": 1.0)",
    R"("a":1e5)",
    R"("price":19.90)",
    R"("big":9007199254740993)",
    R"("a":-0)",
    R"("a":1E+2)",
    R"("url":"a\/b")",
    R"("a":"\u00e9 \u00E9 é")",
    R"("lone":"\ud800 x \udc00")",
    R"("pair":"\ud83d\ude00")",
    "\"a\":1,\"a\":2",
    R"("unknown":{"output":"x","type":"function_call_output"})",
    R"("tools":[{"type":"function","function":{"name":"read_file"}}])",
    "\"a\" :\t{ \"b\" :\r\n [ ] }",
    R"("":null)",
    R"("temperature":0.70,"top_p":1)",
    R"("messages_":[{"role":"tool","content":"x"}])",
    R"("k\u0065y":true)",
};

// Another byte of the same kind, so that the body stays the same JSON but for this value.
char other(char c) {
  if (c >= '0' && c <= '8') return static_cast<char>(c + 1);
  if (c == '9') return '1';
  if (c == 'x') return 'y';
  if (c == '\t') return ' ';
  return c;
}

std::vector<Turn> two_turns() {
  return {{"call_1", "exec_command", R"({"cmd":"ls"})", heartbeats(60)},
          {"call_2", "exec_command", R"({"cmd":"ls"})", heartbeats(70)}};
}

// The outputs' places in the body.
std::vector<wire::Span> outputs_of(const WireFormat& format, const std::string& body) {
  wire::ToolTraffic traffic;
  std::vector<wire::Span> spans;
  if (!wire::format_of(format.target)->locate(body, traffic)) return spans;
  for (const auto& output : traffic.outputs) spans.push_back(output.text);
  return spans;
}

// The body without its outputs: what has to be the same on both sides.
std::string outside(const WireFormat& format, const std::string& body) {
  std::string rest;
  std::size_t done = 0;
  for (const auto span : outputs_of(format, body)) {
    rest += body.substr(done, span.begin - done) + "<>";
    done = span.end;
  }
  return rest + body.substr(done);
}

}  // namespace

TEST_CASE("each spelling that clients use stays, and a change in it changes nothing else") {
  for (const auto& format : wire_formats) {
    const auto history = history_of(format, two_turns());
    const auto small = sent(format, history + std::string(format.tail));
    REQUIRE(small.size() < history.size() / 2);
    const auto middle = small.substr(1, small.size() - format.tail.size() - 1);
    const auto wrapped = [&](const std::string& before, const std::string& inner,
                             const std::string& after) {
      return "{" + before + "," + inner + "]," + after + "}";
    };
    for (const auto& fragment : fragments) {
      INFO(format.name << " " << fragment);
      const auto body = wrapped(fragment, history.substr(1), fragment);
      CHECK(sent(format, body) == wrapped(fragment, middle, fragment));
      for (std::size_t at = 0; at < fragment.size(); ++at) {
        auto changed = fragment;
        changed[at] = other(fragment[at]);
        if (changed == fragment) continue;
        CHECK(sent(format, wrapped(changed, history.substr(1), fragment)) ==
              wrapped(changed, middle, fragment));
        CHECK(sent(format, wrapped(fragment, history.substr(1), changed)) ==
              wrapped(fragment, middle, changed));
      }
    }
  }
}

TEST_CASE("a change of any byte outside the outputs changes no other byte outside them") {
  Random random(21);
  int changed_bodies = 0;
  for (const auto& format : wire_formats) {
    auto turns = two_turns();
    turns[0].as_parts = true;
    turns.push_back({"call_3", "read_file", R"({"path":"a.c"})", heartbeats(60) + "exit 1\n"});
    const auto body = body_of(format, turns);
    const auto spans = outputs_of(format, body);
    REQUIRE(spans.size() == 3);
    for (std::size_t at = 0; at < body.size(); ++at) {
      if (std::ranges::any_of(spans,
                              [&](wire::Span span) { return at >= span.begin && at < span.end; })) {
        continue;
      }
      auto changed = body;
      changed[at] = random.pick(std::string_view("x0 \"\\{}[]:,\xC3\n"));
      const auto small = sent(format, changed);
      INFO(format.name << " byte " << at << ": " << body[at] << " -> " << changed[at]);
      REQUIRE(outside(format, small) == outside(format, changed));
      REQUIRE(*wire::expand_body(small, plenty, format.target) == changed);
      changed_bodies += small == changed ? 0 : 1;
    }
  }
  CHECK(changed_bodies > 300);
}

TEST_CASE("a change in what the user or the model said leaves every output's form as it is") {
  for (const auto& format : wire_formats) {
    const auto body = body_of(format, two_turns());
    for (const std::string_view word : {"\"m\"", "c2ln", "\"so\"", "ls", "\"q\"", "ephemeral"}) {
      for (std::size_t at = body.find(word); at != std::string::npos;
           at = body.find(word, at + 1)) {
        auto changed = body;
        changed[at + 1] = 'z';
        auto expected = sent(format, body);
        // What stands before the change has become shorter by what the outputs before it have.
        const auto spans = outputs_of(format, body);
        const auto small_spans = outputs_of(format, expected);
        std::size_t small_at = at;
        for (std::size_t i = 0; i < spans.size() && spans[i].end <= at; ++i) {
          small_at = at - spans[i].end + small_spans[i].end;
        }
        expected[small_at + 1] = 'z';
        INFO(format.name << " " << word << " at " << at);
        CHECK(sent(format, changed) == expected);
      }
    }
  }
}

TEST_CASE("random damage anywhere leaves a body that expands to what came") {
  Random random(4);
  for (int round = 0; round < 1500; ++round) {
    const auto& format = random.pick(wire_formats);
    auto body = body_of(format, two_turns());
    for (int i = random.between(1, 4); i > 0; --i) {
      const auto at = random.below(body.size());
      switch (random.below(3)) {
        case 0:
          body[at] = static_cast<char>(random.below(256));
          break;
        case 1:
          body.erase(at, 1 + random.below(20));
          break;
        default:
          body.insert(at, body.substr(random.below(body.size()), random.below(40)));
      }
    }
    const auto small = sent(format, body);
    INFO(format.name << " round " << round);
    REQUIRE(outside(format, small) == outside(format, body));
    const auto restored = wire::expand_body(small, plenty, format.target);
    REQUIRE(restored);
    // An output in an unusual spelling comes back value for value.
    REQUIRE(outside(format, *restored) == outside(format, body));
  }
}
