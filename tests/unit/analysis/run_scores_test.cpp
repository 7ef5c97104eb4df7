#include "analysis/run_scores.h"

#include <catch2/catch.hpp>

#include "analysis/verify.h"
#include "common/files.h"
#include "common/hash.h"
#include "common/zstd_stream.h"
#include "tests/support/run_folder.h"

using namespace tare::analysis;
using nlohmann::json;
using tare::test::RunFolder;

namespace {

FieldRows rows_of(const RunFolder& folder) {
  REQUIRE(verify_decoders(folder.path()).has_value());
  std::vector<std::string> warnings;
  auto rows = read_field_rows(folder.path(), warnings);
  CHECK(warnings.empty());
  REQUIRE(rows.scored);
  return rows;
}

std::vector<ScoreRow> of_arm(const FieldRows& rows, const std::string& arm) {
  std::vector<ScoreRow> found;
  for (const auto& row : rows.scores) {
    if (row.arm == arm) found.push_back(row);
  }
  return found;
}

}  // namespace

TEST_CASE("each distinct pair of a run is scored once, and read back as it was written") {
  RunFolder folder;
  folder.write();
  const auto rows = rows_of(folder);
  const auto tare = of_arm(rows, "tare");
  REQUIRE(tare.size() == 5);
  // "<hb> 1" and the like are the arm's form, which its decoder undoes; the planted line is kept.
  CHECK(tare[0].score.said.lines == Standing{4, 1, 3, 0, 0});
  CHECK(tare[0].score.said.exact);
  CHECK(tare[0].score.said.false_lines == 0);
  CHECK(tare[0].score.change == Change::outputs_only);
  CHECK(tare[0].score.fact_standing() == Standing{1, 1, 0, 0, 0});
  const auto headroom = of_arm(rows, "headroom-0.37.0");
  REQUIRE(headroom.size() == 5);
  std::size_t lost = 0;
  for (const auto& row : headroom) {
    lost += row.score.fact_standing().lost;
    CHECK(row.score.said.lines.lost == row.score.fact_standing().lost);
    CHECK(row.score.change == Change::respelled);
  }
  CHECK(lost == 2);  // of the odd bodies 1 and 3
  for (const auto& row : of_arm(rows, "direct")) {
    CHECK(row.score.said.lines == Standing{4, 4, 0, 0, 0});
  }
  for (const auto& row : rows.scores) CHECK(to_json(row)["row"] == "pair");
}

TEST_CASE("a marker that was asked for once is found in later bodies too") {
  RunFolder folder;
  const auto taken_out = [](int index) {
    std::string text = tare::test::sent_body(index);
    const auto at = text.find("ERROR request=req-");
    return text.replace(at, text.find("\\n", at) - at, "<<ccr:1>>");
  };
  for (const int index : {1, 2}) {
    const std::string old = tare::sha256_hex(tare::test::sent_body(index));
    const std::string forwarded = taken_out(index);
    for (auto& request : folder.requests) {
      if (request["arm"] == "direct" && request["sent_sha256"] == old) {
        request["received_sha256"] = tare::sha256_hex(forwarded);
      }
    }
    folder.bodies.push_back(forwarded);
  }
  const std::string reply = "ERROR request=req-1\nERROR request=req-2\n";
  folder.bodies.push_back(reply);
  folder.write();
  const json row = {{"arm", "direct"},
                    {"forwarded_sha256", tare::sha256_hex(taken_out(1))},
                    {"marker", "<<ccr:1>>"},
                    {"status", 200},
                    {"sha256", tare::sha256_hex(reply)},
                    {"bytes", reply.size()},
                    {"error", nullptr}};
  REQUIRE(tare::write_file(folder.path() / "retrieved.jsonl.zst",
                           tare::zstd_compress(row.dump() + "\n")));
  std::size_t recovered = 0;
  for (const auto& score : of_arm(rows_of(folder), "direct")) {
    recovered += score.score.said.lines.recoverable;
    CHECK(score.score.said.lines.lost == 0);
  }
  CHECK(recovered == 2);
}

TEST_CASE("what a marker leads to is recoverable only when it came back") {
  RunFolder folder;
  const std::string sent = tare::test::sent_body(1);
  std::string forwarded = sent;
  forwarded.replace(forwarded.find("ERROR request=req-1"), 19, "<<ccr:1>>");
  for (auto& request : folder.requests) {
    if (request["arm"] != "direct" || request["sent_sha256"] != tare::sha256_hex(sent)) continue;
    request["received_sha256"] = tare::sha256_hex(forwarded);
  }
  const std::string reply = json{{"original", "ERROR request=req-1\n"}}.dump();
  folder.bodies.push_back(forwarded);
  folder.bodies.push_back(reply);
  folder.write();
  const bool resolved = GENERATE(true, false);
  const json row = {{"arm", "direct"},
                    {"forwarded_sha256", tare::sha256_hex(forwarded)},
                    {"marker", "<<ccr:1>>"},
                    {"status", resolved ? 200 : 404},
                    {"sha256", tare::sha256_hex(reply)},
                    {"bytes", reply.size()},
                    {"error", nullptr}};
  REQUIRE(tare::write_file(folder.path() / "retrieved.jsonl.zst",
                           tare::zstd_compress(row.dump() + "\n")));
  for (const auto& score : of_arm(rows_of(folder), "direct")) {
    if (score.forwarded_sha256 != tare::sha256_hex(forwarded)) continue;
    CHECK(score.score.said.lines == (resolved ? Standing{4, 3, 0, 1, 0} : Standing{4, 3, 0, 0, 1}));
    CHECK(score.score.fact_standing() ==
          (resolved ? Standing{1, 0, 0, 1, 0} : Standing{1, 0, 0, 0, 1}));
    CHECK(score.score.said.own_lines == 1);
  }
}

TEST_CASE("a lost line too long for a row is in it by its beginning, and whole in bodies/") {
  RunFolder folder;
  const std::string line(5000, 'x');
  const auto body = [](const std::string& output) {
    return json{
        {"input", {{{"type", "function_call_output"}, {"call_id", "c"}, {"output", output}}}}}
        .dump();
  };
  const std::string sent = body("short 1\n" + line + "\n");
  const std::string forwarded = body("short 1\n");
  const std::string old = tare::sha256_hex(tare::test::sent_body(1));
  for (auto& row : folder.workload) {
    if (row["sha256"] == old) row["sha256"] = tare::sha256_hex(sent);
  }
  for (auto& request : folder.requests) {
    if (request["sent_sha256"] != old) continue;
    request["sent_sha256"] = tare::sha256_hex(sent);
    request["received_sha256"] = tare::sha256_hex(forwarded);
  }
  folder.bodies.push_back(sent);
  folder.bodies.push_back(forwarded);
  folder.write();
  const auto rows = rows_of(folder);
  std::size_t found = 0;
  for (const auto& row : of_arm(rows, "direct")) {
    if (row.cut.empty()) continue;
    ++found;
    REQUIRE(row.cut.size() == 1);
    CHECK(row.cut[0].of == "lost");
    CHECK(row.cut[0].at == 0);
    CHECK(row.cut[0].bytes == line.size());
    CHECK(row.score.said.lost[0] == line.substr(0, 4096));
    const auto whole = tare::zstd_read_file(folder.path() / body_path(row.cut[0].sha256));
    REQUIRE(whole);
    CHECK(whole->bytes == line);
  }
  CHECK(found == 1);
}

TEST_CASE("the turns of a conversation are counted in order, as sent and as forwarded") {
  RunFolder folder;
  // Bodies 0 to 3 are turns 1 to 4: each ends in another line than the one before it.
  for (auto& row : folder.workload) {
    row["conversation"] = "c1";
    row["turn"] = row["index"].get<int>() + 1;
  }
  folder.write();
  const auto rows = rows_of(folder);
  CHECK(rows.conversations.size() == 4);  // one an arm
  for (const auto& row : rows.conversations) {
    CHECK(row.conversation == "c1");
    CHECK(row.tokenizer == "estimate");
    REQUIRE(row.forwarded.size() == 5);
    CHECK(row.sent.size() == 5);
    CHECK(row.forwarded[0].shared == 0);
    CHECK_FALSE(row.forwarded[1].stable);
    CHECK(row.forwarded[1].shared > 0);
    CHECK(row.forwarded[1].shared < row.forwarded[1].tokens);
  }
}

TEST_CASE("a reply to a marker is read as text, JSON or not") {
  CHECK(retrieved_text("plain\ntext") == "plain\ntext");
  CHECK(retrieved_text(R"({"a":[{"text":"x\ny"}]})") == "x\ny\n{\"a\":[{\"text\":\"x\\ny\"}]}");
}
