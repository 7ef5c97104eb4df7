#include "harness/plan.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "common/files.h"
#include "tests/support/json_schema.h"
#include "tests/support/temporary_folder.h"

using namespace tare;
using namespace tare::harness;
using Catch::Contains;
using tare::test::Json;

namespace {

const std::filesystem::path plans = std::filesystem::path(TARE_SOURCE_DIR) / "data/plans";

class PlanFolder {
 public:
  Result<Plan> read(const std::string& json) const {
    REQUIRE(std::ofstream(folder_ / "p.json") << json << std::flush);
    return read_plan("p", path());
  }
  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  test::TemporaryFolder folder_;
};

// Every field of a plan, once.
Json full() {
  return Json::parse(R"({
    "name": "p", "title": "P", "protocol": "published", "rounds": 2, "arms": ["a", "b"], "rotate": 2,
    "groups": [{"task": "logs", "mode": "unique"}, {"task": "json", "mode": "repeated"}], "warmups": 1, "requests": 2,
    "concurrency": 1, "seed": 7, "time_limit_s": 5, "any_failure_makes_incomplete": false,
    "arm_overrides": {"a": {"remove_arguments": ["--x"]}}
  })");
}

}  // namespace

TEST_CASE("each field of a plan is read") {
  const PlanFolder folder;
  const auto plan = folder.read(full().dump());
  REQUIRE(plan);
  CHECK(plan->name == "p");
  CHECK(plan->title == "P");
  CHECK(plan->rounds == 2);
  CHECK(plan->arms == std::vector<std::string>{"a", "b"});
  CHECK(plan->rotate == 2);
  REQUIRE(plan->groups.size() == 2);
  CHECK(plan->groups[0].task == Task::logs);
  CHECK(plan->groups[0].mode == Mode::unique);
  CHECK(plan->warmups == 1);
  CHECK(plan->requests == 2);
  CHECK(plan->seed == 7);
  CHECK(plan->request_time_limit_s == 5);
  CHECK_FALSE(plan->any_failure_makes_incomplete);
  CHECK(plan->removed_arguments.at("a") == std::vector<std::string>{"--x"});
}

TEST_CASE("a resolved plan is the whole plan, reads back, and has sorted keys") {
  const PlanFolder folder;
  const auto plan = folder.read(full().dump());
  REQUIRE(plan);
  CHECK(to_json(*plan) == full().dump());  // nlohmann's objects are sorted
  auto short_form = full();
  for (const char* key : {"rotate", "seed", "concurrency", "time_limit_s",
                          "any_failure_makes_incomplete", "arm_overrides"}) {
    short_form.erase(key);
  }
  const auto defaults = folder.read(short_form.dump());
  REQUIRE(defaults);
  const auto resolved = to_json(*defaults);
  const auto again = folder.read(resolved);
  REQUIRE(again);
  CHECK(to_json(*again) == resolved);
}

TEST_CASE("every fault of a plan is told at once with its place") {
  const PlanFolder folder;
  auto json = full();
  json.erase("rounds");
  json["groups"][1]["task"] = "tables";
  json["requests"] = 0;
  json["seeds"] = 1;
  const auto plan = folder.read(json.dump());
  REQUIRE_FALSE(plan);
  CHECK(plan.error().exit_code() == 1);
  for (const char* fault :
       {"p.json: /rounds: required, but missing",
        "p.json: /groups/1/task: expected one of \"logs\", \"json\", \"code\", found \"tables\"",
        "p.json: /requests: expected a whole number from 1 to 100000, found 0",
        "p.json: /seeds: unknown field"}) {
    CHECK_THAT(plan.error().message, Contains(fault));
  }
}

TEST_CASE("a plan nested deeper than the stack holds is refused with the remedy") {
  const PlanFolder folder;
  constexpr std::size_t levels = 200'000;
  const auto plan =
      folder.read(R"({"name":)" + std::string(levels, '[') + std::string(levels, ']') + "}");
  REQUIRE_FALSE(plan);
  CHECK(plan.error().exit_code() == 1);
  CHECK_THAT(plan.error().text(), Contains("levels deep") && Contains("correct the file"));
}

TEST_CASE("a plan's fields must fit each other") {
  const PlanFolder folder;
  auto json = full();
  json["arms"] = {"a", "b", "a"};
  json["rotate"] = 4;
  json["groups"].push_back(json["groups"][0]);
  json["arm_overrides"] = {{"c", {{"remove_arguments", {"--x"}}}}};
  const auto plan = folder.read(json.dump());
  REQUIRE_FALSE(plan);
  for (const char* fault :
       {"/arms/2: \"a\" stands twice", "/rotate: expected at most the number of arms (3), found 4",
        "/groups/2: stands twice", "/arm_overrides/c: not one of the plan's arms"}) {
    CHECK_THAT(plan.error().message, Contains(fault));
  }
}

TEST_CASE("the schema and the reader of plans refuse the same documents") {
  const PlanFolder folder;
  const auto schema = test::schema("plan");
  REQUIRE(test::takes(schema, full(), schema));
  test::for_each_damage(full(), [&](const Json& damaged, const std::string& pointer) {
    const auto plan = folder.read(damaged.dump());
    CAPTURE(pointer, damaged.dump());
    if (test::takes(schema, damaged, schema)) {
      // The schema cannot compare fields with each other.
      if (!plan)
        CHECK_THAT(plan.error().message,
                   Contains("the number of arms") || Contains("not one of the plan's arms"));
    } else {
      REQUIRE_FALSE(plan);
      CHECK_THAT(plan.error().message, Contains("p.json: " + pointer));
    }
  });
}

TEST_CASE(
    "a plan is found by name or by path, an unknown one is refused with the names there are") {
  const PlanFolder folder;
  REQUIRE(folder.read(full().dump()));
  CHECK(read_plan("p", folder.path()));
  CHECK(read_plan((folder.path() / "p.json").string(), plans));
  const auto unknown = read_plan("q", folder.path());
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().exit_code() == 2);
  CHECK_THAT(unknown.error().text(), Contains("unknown plan \"q\"") && Contains(" are p;"));
}

TEST_CASE("the plans there are pass the schema and the reader") {
  const auto schema = test::schema("plan");
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(plans)) {
    CAPTURE(entry.path());
    const auto plan = read_plan(entry.path().stem().string(), plans);
    REQUIRE(plan);
    CHECK(plan->name == entry.path().stem());
    CHECK(test::takes(schema, Json::parse(*read_file(entry.path())), schema));
    ++count;
  }
  CHECK(count >= 3);
}

TEST_CASE("the published plan is the published protocol") {
  const auto plan = read_plan("published", plans);
  REQUIRE(plan);
  CHECK(plan->rotate == 3);
  CHECK(plan->rounds * plan->rotate * static_cast<int>(plan->groups.size()) * plan->requests ==
        2160);
  CHECK(plan->warmups == 5);
  CHECK(plan->any_failure_makes_incomplete);
  std::vector<std::string> groups;
  for (const auto& group : plan->groups) {
    groups.push_back(std::string(name_of(group.task)) + "/" + std::string(name_of(group.mode)));
  }
  CHECK(groups == std::vector<std::string>{"logs/repeated", "logs/unique", "json/repeated",
                                           "json/unique", "code/repeated", "code/unique"});
}
