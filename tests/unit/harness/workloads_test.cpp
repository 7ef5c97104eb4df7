#include "harness/workloads.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "common/files.h"
#include "common/hash.h"
#include "harness/body_store.h"
#include "tests/support/temporary_folder.h"

using namespace tare;
using namespace tare::harness;
using Catch::Contains;

namespace {

const std::filesystem::path home = TARE_SOURCE_DIR;

std::vector<Body> bodies_of(const std::string& task, int most = 1) {
  const auto workload = workload_from(task);
  REQUIRE(workload);
  const auto bodies = make_bodies(*workload, most, home);
  REQUIRE(bodies);
  return *bodies;
}

std::string hash_of_all(const std::vector<Body>& bodies) {
  std::string all;
  for (const Body& body : bodies) all += sha256_hex(body.text);
  return sha256_hex(all).substr(0, 16);
}

Group group(const std::string& task, Mode mode) {
  return {Task{task}, mode, *workload_from(task)};
}

}  // namespace

TEST_CASE("a workload's name leads back to it") {
  for (const char* name :
       {"logs", "json@exec_command", "code@chat", "logs@exec_command@messages", "folder",
        "folder/log", "folder/log@chat", "conversation/30", "conversation/60@messages",
        "incompressible", "tiny@exec_command", "huge"}) {
    const auto workload = workload_from(name);
    REQUIRE(workload);
    CHECK(task_of(*workload).name == name);
  }
  for (const char* wrong : {"", "tables", "conversation", "conversation/0", "conversation/1000",
                            "conversation/100000000", "tiny/x", "published",
                            "logs@chat@exec_command", "logs@read_file", "logs@responses"}) {
    CAPTURE(wrong);
    CHECK_FALSE(workload_from(wrong));
  }
}

TEST_CASE("workloads are the same on every machine") {
  CHECK(hash_of_all(bodies_of("incompressible")) == "ffaf6bc5e10eb94b");
  CHECK(hash_of_all(bodies_of("tiny")) == "38013ca67581c7ce");
  CHECK(hash_of_all(bodies_of("tiny@exec_command@messages")) == "fd02ddc12f640af2");
  CHECK(hash_of_all(bodies_of("huge@chat")) == "2ea131cf932ea8ee");
  CHECK(hash_of_all(bodies_of("logs@exec_command", 45)) == "3ef326d7ee24f9e9");
  CHECK(hash_of_all(bodies_of("code@chat", 45)) == "58cd02f1d8360f16");
}

TEST_CASE("a tool's name is all that changes in a published body") {
  auto text = bodies_of("json@exec_command").front().text;
  text.replace(text.find("exec_command"), 12, "read_file");
  CHECK(text == make_body(Task::json, 0).text);
}

TEST_CASE("a folder's outputs are sent one a body, with class and name") {
  test::TemporaryFolder folder;
  for (const char* file : {"log/b.txt", "log/a.txt", "json/c.json", "index.tsv"}) {
    REQUIRE(make_directories((folder.path() / file).parent_path()));
    REQUIRE(write_file(folder.path() / file, std::string("text of ") + file));
  }
  Workload workload;
  workload.name = "folder";
  workload.path = ".";
  const auto all = make_bodies(workload, 1, folder.path());
  REQUIRE(all);
  REQUIRE(all->size() == 3);
  CHECK((*all)[0].name == "json/c.json");
  CHECK((*all)[1].class_name == "log");
  workload.class_name = "log";
  const auto logs = make_bodies(workload, 1, folder.path());
  REQUIRE(logs);
  REQUIRE(logs->size() == 2);
  CHECK((*logs)[1].index == 1);
  CHECK((*logs)[1].output == "text of log/b.txt");
  CHECK((*logs)[1].task.name == "folder/log");
  CHECK_THAT((*logs)[1].text, Contains("text of log/b.txt"));
  workload.class_name = "diff";
  CHECK_THAT(make_bodies(workload, 1, folder.path()).error().message, Contains("class \"diff\""));
  workload.path = "nowhere";
  CHECK(make_bodies(workload, 1, folder.path()).error().exit_code() == 2);
}

TEST_CASE("a conversation is a body a turn, each beginning with the one before") {
  const auto bodies = bodies_of("conversation/10");
  REQUIRE(bodies.size() == 10);
  for (std::size_t i = 1; i < bodies.size(); ++i) {
    const auto& before = bodies[i - 1].text;
    CHECK(bodies[i].text.starts_with(before.substr(0, before.size() - 2)));
    CHECK(bodies[i].turn == static_cast<int>(i) + 1);
    CHECK(bodies[i].conversation == bodies[0].conversation);
  }
  const auto chat = nlohmann::json::parse(bodies_of("conversation/10@chat").back().text);
  CHECK(chat["messages"].size() == 21);
}

TEST_CASE("the planted facts of huge outputs stand in them, and tiny ones are tiny") {
  const auto huge = bodies_of("huge");
  CHECK(huge.size() == 3);
  for (const Body& body : huge) {
    CHECK(body.text.size() > 800'000);
    for (const Fact& fact : body.facts) CHECK_THAT(body.output, Contains(fact.spellings.front()));
  }
  for (const Body& body : bodies_of("tiny")) CHECK(body.output.size() < 100);
}

TEST_CASE("which body a request sends depends on the group's mode") {
  Plan plan;
  plan.home = home;
  plan.groups = {group("logs", Mode::repeated), group("json", Mode::unique),
                 group("tiny", Mode::each)};
  const auto store = BodyStore::make(plan, 7);
  REQUIRE(store);
  CHECK(store->of(plan.groups[0], 5).body.index == 0);
  CHECK(store->of(plan.groups[1], 5).body.index == 5);
  CHECK(store->of(plan.groups[2], 5).body.index == 5);
  CHECK(store->of(plan.groups[2], 13).body.index == 1);
  CHECK(store->requests(plan.groups[0], 4) == 4);
  CHECK(store->requests(plan.groups[2], 4) == 12);
  CHECK(store->requests(plan.groups[2], 20) == 20);
  CHECK(store->all().size() == 1 + 7 + 12);
}
