#include "analysis/pair_score.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace tare::analysis;
using nlohmann::json;

namespace {

json call(const std::string& id, const std::string& output) {
  return {{"type", "function_call_output"}, {"call_id", id}, {"output", output}};
}

StoredBody body(const std::vector<json>& items, const json& more = json::object()) {
  json root = {{"model", "m"}, {"input", json(items)}};
  root.update(more);
  return parse_body(root.dump());
}

PairScore score(const StoredBody& sent, const StoredBody& forwarded,
                const StoredBody* decoded = nullptr, const std::vector<FoundMarker>& markers = {},
                const std::vector<Fact>& facts = {}) {
  const Tokenizer tokenizer(O200k::parse("YQ== 0\n", "bytes").value());
  return PairScorer(tokenizer).score({.sent = sent,
                                      .forwarded = forwarded,
                                      .decoded = decoded,
                                      .markers = markers,
                                      .facts = facts});
}

}  // namespace

TEST_CASE("an identity arm keeps everything") {
  const auto sent = body({call("a", "one 11\ntwo 22\n"), call("b", "three 33\n")});
  const auto found = score(sent, sent, nullptr, {}, {{"two", {"two 22"}}});
  CHECK(found.change == Change::none);
  CHECK(found.outputs == 2);
  CHECK(found.said.exact);
  CHECK(found.said.lines == Standing{3, 3, 0, 0, 0});
  CHECK(found.fact_standing() == Standing{1, 1, 0, 0, 0});
  CHECK(found.added.bytes == 0);
}

TEST_CASE("each fact has a class of its own") {
  const std::string text = "fact_a 1\nfact_b 2\nfact_c 3\nfact_d 4\n";
  const std::vector<Fact> facts{
      {"a", {"fact_a"}}, {"b", {"fact_b"}}, {"c", {"fact_c"}}, {"d", {"fact_d"}}};
  const auto sent = body({call("x", text)});
  const auto forwarded = body({call("x", "fact_a 1\n<<k:1>>\n<<k:2>>\n")});
  const auto decoded = body({call("x", "fact_a 1\nfact_b 2\n")});
  const auto found =
      score(sent, forwarded, &decoded, {{"<<k:1>>", "fact_c 3\n"}, {"<<k:2>>", ""}}, facts);
  CHECK(found.change == Change::outputs_only);
  CHECK(found.said.lines == Standing{4, 1, 1, 1, 1});
  CHECK(found.said.literals == Standing{4, 1, 1, 1, 1});
  CHECK(found.said.false_lines == 0);
  CHECK(found.said.own_lines == 2);
  CHECK_FALSE(found.said.exact);
  std::vector<std::string> standings;
  for (const auto& fact : found.facts) standings.emplace_back(name_of(fact.standing));
  CHECK(standings == std::vector<std::string>{"kept", "derivable", "recoverable", "lost"});
}

TEST_CASE("a marker in a user's data is not the arm's") {
  const auto sent = body({call("x", "text <<k:1>>\n"), call("y", "lost line 9\n")});
  const auto forwarded = body({call("x", "text <<k:1>>\n"), call("y", "")});
  const auto found = score(sent, forwarded, nullptr, {{"<<k:1>>", "lost line 9\n"}});
  CHECK(found.said.lines == Standing{2, 1, 0, 0, 1});
}

TEST_CASE("outputs are matched by their calls when some are gone") {
  const auto sent = body({call("a", "one 11\n"), call("b", "two 22\n"), call("c", "three 33\n")});
  const auto forwarded = body({call("c", "three 33\n"), call("a", "one 11\n")});
  const auto found = score(sent, forwarded);
  CHECK(found.change == Change::other);
  CHECK(found.outputs_gone == 1);
  CHECK(found.said.lines == Standing{3, 2, 0, 0, 1});
}

TEST_CASE("text that the arm puts into the request is counted, a legend in the instructions too") {
  const auto sent = body({call("a", "one 11\n")}, {{"instructions", "Be brief."}});
  const auto legend = body({call("a", "one 11\n")}, {{"instructions", "Be brief. ~ means 11"}});
  CHECK(score(sent, legend).added.bytes == std::string(" ~ means 11\n").size());
  CHECK(score(sent, legend).added.tokens == std::string(" ~ means 11\n").size());
  CHECK(score(sent, legend).change == Change::other);
  const auto tool = body({call("a", "one 11\n")},
                         {{"instructions", "Be brief."}, {"tools", {{{"name", "retrieve"}}}}});
  CHECK(added_text(sent, tool) == "retrieve\n");
  // An item moved is no text added.
  const auto moved =
      body({{{"role", "user"}}, call("a", "one 11\n")}, {{"instructions", "Be brief."}});
  CHECK(added_text(sent, moved) == "user\n");
  CHECK(added_text(moved, sent).empty());
}

TEST_CASE("a reference to an output before it leads to what that shows, and to nothing else") {
  const auto sent =
      body({call("c1", "alpha 1\nbeta 2\n"), call("c2", "alpha 1\nbeta 2\ngamma 3\n")});
  const auto said = [&](const std::string& first, const std::string& second) {
    return score(sent, body({call("c1", first), call("c2", second)})).said;
  };
  const auto whole = said("alpha 1\nbeta 2\n", "[2 lines same as c1 above]\ngamma 3\n");
  CHECK(whole.lines == Standing{5, 3, 0, 2, 0});
  CHECK(whole.false_lines == 0);
  CHECK(whole.own_lines == 1);
  // The other output has lost a line itself.
  CHECK(said("alpha 1\n", "[2 lines same as c1 above]\ngamma 3\n").lines ==
        Standing{5, 2, 0, 1, 2});
  // Nothing says where the lines are.
  CHECK(said("alpha 1\nbeta 2\n", "gamma 3\n").lines == Standing{5, 3, 0, 0, 2});
}
