#include "proxy/wire/calls.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "proxy/wire/responses.h"

using namespace tare::wire;

namespace {

std::string call(const std::string& id, const std::string& tool) {
  return R"({"type":"function_call","call_id":")" + id + R"(","name":")" + tool +
         R"(","arguments":"{}"})";
}
std::string output(const std::string& id) {
  return R"({"type":"function_call_output","call_id":")" + id + R"(","output":"o"})";
}

// The tool of each output's call, "-" for none.
std::vector<std::string> tools(const std::vector<std::string>& items) {
  std::string body = R"({"input":[)";
  for (const auto& item : items) body += (body.ends_with('[') ? "" : ",") + item;
  body += "]}";
  ToolTraffic traffic;
  REQUIRE(ResponsesFormat().locate(body, traffic));
  Calls calls(body, traffic);
  std::vector<std::string> result;
  for (const auto& output : traffic.outputs) {
    const auto* const found = calls.of(output);
    result.push_back(found == nullptr ? "-" : std::string(found->name.of(body)));
  }
  return result;
}

using Tools = std::vector<std::string>;

}  // namespace

TEST_CASE("an output is joined with its call, in any order of answers") {
  CHECK(tools({call("a", "x"), call("b", "y"), output("b"), output("a")}) ==
        Tools{"\"y\"", "\"x\""});
}

TEST_CASE("an output whose call is not in the request has none") {
  CHECK(tools({output("a"), call("b", "y"), output("c")}) == Tools{"-", "-"});
}

TEST_CASE("a call that comes after the output is not its call") {
  CHECK(tools({output("a"), call("a", "x")}) == Tools{"-"});
}

TEST_CASE("of several calls with one id, the last before the output counts") {
  CHECK(tools({call("a", "x"), output("a"), call("a", "y"), output("a"), output("a")}) ==
        Tools{"\"x\"", "\"y\"", "\"y\""});
}

TEST_CASE("an output without an id has no call") {
  CHECK(tools({call("a", "x"), R"({"type":"function_call_output","output":"o"})"}) == Tools{"-"});
}
