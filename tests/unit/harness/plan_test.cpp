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

// The same of a sliced plan.
Json full_sliced() {
  return Json::parse(R"({
    "name": "p", "title": "P", "protocol": "sliced", "rounds": 2, "isolated_rounds": 1, "arms": ["direct", "b", "tare"],
    "twin_of": "b", "groups": [{"task": "logs", "mode": "unique"}], "warmups": 1, "slice_groups": 21, "slice_ms": 50,
    "slice_min_requests": 2, "slice_max_requests": 30, "isolated_requests": 10, "state": "kept", "block": 4,
    "subject": "tare", "references": ["b"], "margins": {"latency": 0.03, "cpu": 0.04, "memory": 0.06},
    "concurrency": 1, "seed": 7, "time_limit_s": 5, "any_failure_makes_incomplete": false,
    "arm_overrides": {"b": {"remove_arguments": ["--x"]}}
  })");
}

// Holds the reader against the schema on every damage of a document; `fields_compared` are faults
// that a schema cannot tell.
void check_against_schema(const Json& document, const std::vector<std::string>& fields_compared) {
  const PlanFolder folder;
  const auto schema = test::schema("plan");
  REQUIRE(test::takes(schema, document, schema));
  test::for_each_damage(document, [&](const Json& damaged, const std::string& pointer) {
    const auto plan = folder.read(damaged.dump());
    CAPTURE(pointer, damaged.dump());
    if (test::takes(schema, damaged, schema)) {
      if (plan) return;
      CAPTURE(plan.error().message);
      CHECK(std::ranges::any_of(fields_compared, [&](const auto& fault) {
        return plan.error().message.find(fault) != std::string::npos;
      }));
    } else {
      REQUIRE_FALSE(plan);
      CHECK_THAT(plan.error().message, Contains("p.json: " + pointer));
    }
  });
}

}  // namespace

TEST_CASE("groups of any workload are read, in words or by name, and written by name") {
  const auto groups = [](const std::string& json) {
    return parse_plan(
        R"({"name": "p", "title": "P", "protocol": "published", "rounds": 1, "arms": ["a"],
      "warmups": 0, "requests": 1, "groups": )" +
            json + "}",
        "p.json");
  };
  const auto plan =
      groups(R"([{"task": "logs", "mode": "unique", "tool": "exec_command", "route": "chat"},
    {"workload": "folder", "path": "x", "class": "log"}, {"workload": "conversation", "turns": 30, "route": "messages"},
    {"task": "tiny@chat", "mode": "repeated"}])");
  REQUIRE(plan);
  CHECK(plan->groups[0].task.name == "logs@exec_command@chat");
  CHECK(plan->groups[1].task.name == "folder/log");
  CHECK(plan->groups[1].mode == Mode::each);
  CHECK(plan->groups[2].workload.turns == 30);
  CHECK(plan->groups[3].workload.route == Route::chat);
  const auto json = to_json(*plan);
  CHECK_THAT(json, Contains(R"({"mode":"each","path":"x","task":"folder/log"})"));
  const auto again = parse_plan(json, "run.json");
  REQUIRE(again);
  CHECK(to_json(*again) == json);
  for (const char* wrong :
       {R"([{"task": "logs", "mode": "each"}])", R"([{"task": "tiny", "mode": "unique"}])",
        R"([{"workload": "conversation"}])", R"([{"workload": "published"}])",
        R"([{"workload": "tiny", "class": "log"}])",
        R"([{"workload": "folder", "path": "x", "class": "log", "mode": "each"},
            {"workload": "folder", "path": "y", "class": "log", "mode": "repeated"}])"}) {
    CAPTURE(wrong);
    CHECK_FALSE(groups(wrong));
  }
}

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
        "p.json: /groups/1/task: expected the name of a workload, such as logs, folder/log or "
        "tiny@chat, found \"tables\"",
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
  check_against_schema(full(), {"the number of arms", "not one of the plan's arms"});
}

TEST_CASE("the schema and the reader of sliced plans refuse the same documents") {
  check_against_schema(full_sliced(), {"not one of the plan's arms", "less than slice_min_requests",
                                       "is the twin's name", "leave no place",
                                       "never in one block with the subject"});
}

TEST_CASE("each field of a sliced plan is read, and the resolved plan reads back") {
  const PlanFolder folder;
  const auto plan = folder.read(full_sliced().dump());
  REQUIRE(plan);
  CHECK(plan->protocol == Protocol::sliced);
  const Slicing& slicing = plan->slicing;
  CHECK(slicing.isolated_rounds == 1);
  CHECK(slicing.twin_of == "b");
  CHECK(slicing.groups == 21);
  CHECK(slicing.milliseconds == 50);
  CHECK(slicing.least_requests == 2);
  CHECK(slicing.most_requests == 30);
  CHECK(slicing.isolated_requests == 10);
  CHECK(slicing.state_kept);
  CHECK(slicing.block == 4);
  CHECK(slicing.subject == "tare");
  CHECK(slicing.references == std::vector<std::string>{"b"});
  CHECK(slicing.margins.at("cpu") == 0.04);
  CHECK(to_json(*plan) == full_sliced().dump());
  const auto again = parse_plan(to_json(*plan), "run.json");
  REQUIRE(again);
  CHECK(to_json(*again) == to_json(*plan));
}

TEST_CASE("a sliced plan's fields have defaults, and a failure is an arm's result") {
  const PlanFolder folder;
  const auto plan = folder.read(R"({"name": "p", "title": "P", "protocol": "sliced", "rounds": 12,
    "arms": ["direct", "control", "tare"], "groups": [{"task": "logs", "mode": "unique"}], "warmups": 5})");
  REQUIRE(plan);
  CHECK(plan->slicing.twin_of == "control");
  CHECK(plan->slicing.subject == "tare");
  CHECK(plan->slicing.groups == 20);
  CHECK(plan->slicing.margins.at("memory") == 0.05);
  CHECK_FALSE(plan->any_failure_makes_incomplete);
  CHECK(arms_and_twin(*plan) ==
        std::vector<std::string>{"direct", "control", "tare", "control-twin"});
}

TEST_CASE("every block holds the anchors and the twin, at most as many arms as the plan says") {
  Plan plan;
  plan.protocol = Protocol::sliced;
  plan.arms = {"direct", "control", "a", "b", "c", "d"};
  plan.slicing.twin_of = "control";
  plan.slicing.block = 5;
  using Blocks = std::vector<std::vector<std::string>>;
  CHECK(blocks_of(plan) == Blocks{{"direct", "control", "control-twin", "a", "b"},
                                  {"direct", "control", "control-twin", "c", "d"}});
  plan.slicing.twin_of = "a";
  CHECK(blocks_of(plan)[0] == std::vector<std::string>{"direct", "control", "a", "a-twin", "b"});
  plan.arms = {"direct", "control"};
  plan.slicing.twin_of.reset();
  CHECK(blocks_of(plan) == Blocks{{"direct", "control"}});
}

TEST_CASE("a field that stands twice is refused, wherever it stands") {
  const PlanFolder folder;
  const auto fault_of = [&](std::string text, const std::string& of, const std::string& with) {
    text.replace(text.find(of), of.size(), of + "," + with);
    const auto plan = folder.read(text);
    REQUIRE_FALSE(plan);
    return plan.error().message;
  };
  const std::string whole = full().dump();
  REQUIRE(folder.read(whole));
  CHECK_THAT(fault_of(whole, "\"rounds\":2", "\"rounds\":3"),
             Contains("the field \"rounds\" stands twice in one object"));
  CHECK_THAT(fault_of(whole, "\"mode\":\"unique\"", "\"mode\":\"unique\""),
             Contains("the field \"mode\" stands twice in one object"));
}

TEST_CASE("direct has no twin, and a plan need not have it") {
  const PlanFolder folder;
  auto json = full_sliced();
  json["twin_of"] = "direct";
  const auto plan = folder.read(json.dump());
  REQUIRE_FALSE(plan);
  CHECK_THAT(plan.error().message, Contains("/twin_of: \"direct\" has no process"));
  json["twin_of"] = "b";
  json["arms"] = {"b", "tare"};
  CHECK(folder.read(json.dump()));
}

TEST_CASE("the faults of a sliced plan name their places") {
  const PlanFolder folder;
  auto json = full_sliced();
  json["twin_of"] = "x";
  json["references"] = {"b", "y"};
  json["slice_max_requests"] = 1;
  json["arms"] = {"direct", "b", "tare", "b-twin"};
  const auto plan = folder.read(json.dump());
  REQUIRE_FALSE(plan);
  for (const char* fault :
       {"/twin_of: not one of the plan's arms", "/references/1: not one of the plan's arms",
        "/slice_max_requests: less than slice_min_requests"}) {
    CHECK_THAT(plan.error().message, Contains(fault));
  }
  json = full_sliced();
  json["references"] = {"tare", "b", "b"};
  const auto itself = folder.read(json.dump());
  REQUIRE_FALSE(itself);
  for (const char* fault : {"/references/0: the subject is not held against itself",
                            "/references/2: \"b\" stands twice"}) {
    CHECK_THAT(itself.error().message, Contains(fault));
  }
  json = full_sliced();
  json["requests"] = 40;
  json["margins"]["bytes"] = 0.1;
  const auto unknown = folder.read(json.dump());
  REQUIRE_FALSE(unknown);
  CHECK_THAT(unknown.error().message,
             Contains("/requests: unknown field") && Contains("/margins/bytes: unknown field"));
}

TEST_CASE("the plans compare and full are those of docs/raw-format.md") {
  for (const auto& [name, rounds, isolated, arms] :
       {std::tuple("compare", 12, 3, std::size_t{5}), std::tuple("full", 24, 5, std::size_t{6})}) {
    const auto plan = read_plan(name, plans);
    REQUIRE(plan);
    CHECK(plan->protocol == Protocol::sliced);
    CHECK(plan->rounds == rounds);
    CHECK(plan->slicing.isolated_rounds == isolated);
    CHECK(plan->arms.size() == arms);
    CHECK(plan->slicing.twin_of == "control");
    CHECK(plan->groups.size() == 6);
    std::vector<std::string> references{"control", "nginx", "headroom-0.37.0"};
    if (arms == 6) references.emplace_back("forwarder-httplib");  // in a block of its own
    CHECK(plan->slicing.references == references);
  }
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
  const auto no_file = read_plan("/nowhere/q.json", folder.path());
  REQUIRE_FALSE(no_file);
  CHECK_THAT(no_file.error().text(), Contains("/nowhere/q.json: there is no such file"));
  const auto no_home = read_plan("q", folder.path() / "nowhere");
  REQUIRE_FALSE(no_home);
  CHECK_THAT(no_home.error().text(),
             Contains("nowhere: there is no such folder") && Contains("--home"));
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
