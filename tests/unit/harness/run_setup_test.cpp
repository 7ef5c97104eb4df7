#include "harness/run_setup.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tests/support/temporary_folder.h"

using namespace tare;
using namespace tare::harness;
using Catch::Matchers::Contains;
using Names = std::vector<std::string>;

namespace {

Plan published() {
  Plan plan;
  plan.arms = {"tare", "headroom", "control", "direct", "nginx"};
  plan.rotate = 3;
  plan.removed_arguments = {{"headroom", {"--no-rate-limit"}}};
  return plan;
}

void write_arm(const test::TemporaryFolder& folder, const std::string& name,
               const std::string& members) {
  std::filesystem::create_directories(folder / name);
  std::ofstream(folder / name / "arm.json")
      << R"({"name": ")" << name << R"(", "title": "T", "kind": "forwarder", "licence": "none",
             "base_url": "http://127.0.0.1:{port}", "ready": {"tcp": true, "within_s": 1},
             "routes": {"responses": "/v1/responses"}, "claims": {"lossless": true}, )"
      << members << "}";
}

}  // namespace

TEST_CASE("chosen arms keep the plan's order, and those left of the rotating ones rotate") {
  const auto plan = with_arms(published(), {"nginx", "control", "tare"});
  REQUIRE(plan);
  CHECK(plan->arms == Names{"tare", "control", "nginx"});
  CHECK(plan->rotate == 2);
  CHECK(plan->removed_arguments.empty());
}

TEST_CASE("arms that the plan does not have follow in the order given, and do not rotate") {
  const auto plan = with_arms(published(), {"other", "another", "headroom"});
  REQUIRE(plan);
  CHECK(plan->arms == Names{"headroom", "other", "another"});
  CHECK(plan->rotate == 1);
  CHECK(plan->removed_arguments.size() == 1);
}

TEST_CASE("an arm named twice is a usage error") {
  const auto plan = with_arms(published(), {"tare", "tare"});
  REQUIRE_FALSE(plan);
  CHECK(plan.error().exit_code() == 2);
}

TEST_CASE("the record of an arm says what it runs and keeps credentials out") {
  const test::TemporaryFolder arms;
  write_arm(arms, "a", R"("command": ["sh", "-c", "true", "--extra"], "caches": true,
    "env": {"HOME": "{state}", "SOME_API_KEY": "secret"}, "forced_env": {"TELEMETRY": "off"},
    "decoder": ["{bin}/decode", "--body"], "notes": ["n"])");
  Plan plan;
  plan.arms = {"a"};
  plan.removed_arguments = {{"a", {"--extra"}}};
  const auto setup = set_up(plan, arms.path(), "/programs");
  REQUIRE(setup);
  REQUIRE(setup->records.size() == 1);
  const ArmRecord& record = setup->records[0];
  CHECK(record.kind == "forwarder");
  CHECK(record.command == Names{"sh", "-c", "true"});
  CHECK(record.environment == std::map<std::string, std::string>{{"HOME", "{state}"},
                                                                 {"SOME_API_KEY", "(not recorded)"},
                                                                 {"TELEMETRY", "off"}});
  CHECK(record.decoder == Names{"/programs/decode", "--body"});
  CHECK(record.caches);
  CHECK_FALSE(record.not_installed);
  CHECK(record.identity_json);
}

TEST_CASE("an arm whose program is not there is recorded with the reason") {
  const test::TemporaryFolder arms;
  write_arm(arms, "a", R"("command": ["tare-no-such-program"])");
  Plan plan;
  plan.arms = {"a"};
  const auto setup = set_up(plan, arms.path(), "/programs");
  REQUIRE(setup);
  CHECK(setup->records[0].not_installed);
  CHECK(setup->arms[0].not_installed == setup->records[0].not_installed);
  CHECK_FALSE(setup->records[0].identity_json);
}

TEST_CASE("an unknown arm is a usage error that names those there are") {
  const test::TemporaryFolder arms;
  write_arm(arms, "known", R"("command": ["sh"])");
  Plan plan;
  plan.arms = {"unknown"};
  const auto setup = set_up(plan, arms.path(), "/programs");
  REQUIRE_FALSE(setup);
  CHECK(setup.error().exit_code() == 2);
  CHECK_THAT(setup.error().text(), Contains("unknown") && Contains("known"));
}
