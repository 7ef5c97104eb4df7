#include "harness/workload.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "common/files.h"
#include "common/hash.h"

using namespace tare;
using namespace tare::harness;

namespace {

nlohmann::json published(const char* name) {
  const auto text = read_file(std::filesystem::path(TARE_SOURCE_DIR) / "data/published" / name);
  REQUIRE(text);
  return nlohmann::json::parse(*text);
}

const Task all_tasks[] = {{"logs"}, {"json"}, {"code"}};

}  // namespace

TEST_CASE("all 135 distinct bodies have the published sizes and hashes") {
  const auto sizes = published("request-sizes.json");
  const auto hashes = published("request-sha256.json");
  std::set<std::string> distinct;
  for (const auto& task : all_tasks) {
    const std::string name(name_of(task));
    CHECK(sizes[name]["repeated"] == make_body(task, 0).text.size());
    for (std::size_t i = 0; i < 45; ++i) {
      CAPTURE(name, i);
      const auto body = make_body(task, static_cast<int>(i));
      CHECK(body.seed == 1'800'000'000 + i);
      CHECK(body.text.size() == sizes[name]["unique_first_45"][i]);
      CHECK(sha256_hex(body.text) == hashes[name][i].get<std::string>());
      distinct.insert(body.text);
    }
  }
  CHECK(distinct.size() == 135);
}

TEST_CASE("a body's tool output is what its JSON holds") {
  for (const auto& task : all_tasks) {
    const auto body = make_body(task, 7);
    const auto parsed = nlohmann::json::parse(body.text);
    CHECK(parsed["input"][2]["output"] == body.output);
  }
}

TEST_CASE("the planted fact stands in the tool output exactly once, as printed") {
  for (const auto& task : all_tasks) {
    for (int i = 0; i < 45; ++i) {
      const auto body = make_body(task, i);
      REQUIRE(body.facts.size() == 1);
      const auto& printed = body.facts[0].spellings[0];
      const auto at = body.output.find(printed);
      REQUIRE(at != std::string::npos);
      CHECK(body.output.find(printed, at + 1) == std::string::npos);
    }
  }
}

TEST_CASE("json's fact is the failed record with the most attempts, printed and minified") {
  const auto body = make_body(Task::json, 5);
  nlohmann::ordered_json most = {{"attempts", 0}};
  for (const auto& record : nlohmann::ordered_json::parse(body.output)) {
    if (record["status"] == "failed" && record["attempts"] > most["attempts"]) most = record;
  }
  REQUIRE(body.facts[0].spellings.size() == 2);
  CHECK(body.facts[0].spellings[1] == most.dump());
  CHECK(nlohmann::ordered_json::parse(body.facts[0].spellings[0]) == most);
}

TEST_CASE("names of tasks and modes read back, others are refused with the names there are") {
  for (const auto& task : all_tasks) CHECK(task_from(name_of(task)) == task);
  for (const auto mode : {Mode::repeated, Mode::unique}) CHECK(mode_from(name_of(mode)) == mode);
  const auto wrong = task_from("tables");
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().exit_code() == 2);
  CHECK(wrong.error().text() == "unknown task \"tables\" (use one of logs, json, code)");
}
