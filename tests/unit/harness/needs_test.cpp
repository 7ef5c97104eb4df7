#include "harness/needs.h"

#include <catch2/catch.hpp>

#include "tests/support/temporary_folder.h"

using namespace tare;
using namespace tare::harness;
using Catch::Matchers::Contains;

namespace {

Manifest arm(const std::string& name, double memory_mb) {
  Manifest manifest;
  manifest.name = name;
  manifest.kind = name == "direct" ? ArmKind::direct : ArmKind::forwarder;
  manifest.routes["responses"] = "/v1/responses";
  manifest.cost = {.disk_mb = 5, .memory_mb = memory_mb, .start_s = 2, .request_ms = 10};
  return manifest;
}

Plan plan() {
  Plan plan;
  plan.arms = {"direct", "a"};
  plan.groups = {published_group(Task::logs, Mode::repeated)};
  plan.rounds = 12;
  plan.warmups = 5;
  plan.requests = 40;
  return plan;
}

}  // namespace

TEST_CASE("a published plan needs one arm at a time") {
  const auto needs = needs_of(plan(), {arm("direct", 0), arm("a", 400)}).value();
  CHECK(needs.starts == 24);
  CHECK(needs.measured == 960);
  CHECK(needs.warmups == 120);
  CHECK(needs.arms_disk_mb == Approx(10));
  CHECK(needs.memory_mb > 400);
  CHECK(needs.memory_mb < 500);
  // 24 starts of 2 s and 45 requests of 10 ms.
  CHECK(needs.minutes == Approx(24 * 2.45 / 60).epsilon(0.1));
}

TEST_CASE("a sliced plan needs a block of arms and the twin at once") {
  auto sliced = plan();
  sliced.protocol = Protocol::sliced;
  sliced.slicing.isolated_rounds = 3;
  sliced.slicing.twin_of = "a";
  const auto needs = needs_of(sliced, {arm("direct", 0), arm("a", 400)}).value();
  CHECK(needs.starts == 45);
  CHECK(needs.memory_mb > 800);
  // 20 slices of 100 ms hold 10 requests of 10 ms each.
  CHECK(needs.measured == 36 * 200 + 9 * 40);
}

TEST_CASE(
    "groups that send each of their bodies are counted by them, for the arms that have their "
    "route") {
  auto field = plan();
  field.rounds = 1;
  field.warmups = 1;
  field.requests = 5;
  for (const char* task : {"tiny", "tiny@chat", "huge"}) {
    field.groups.push_back({Task{task}, Mode::each, workload_from(task).value()});
  }
  const auto needs = needs_of(field, {arm("direct", 0), arm("a", 400)}).value();
  // 5 of logs, 12 tiny ones, 5 huge ones (three, and again); neither arm takes chat.
  CHECK(needs.measured == 2 * (5 + 12 + 5));
  CHECK(needs.warmups == 2 * 3);
  // Three bodies of a megabyte are more than all the others.
  CHECK(needs.run_disk_mb > 0.6);
  CHECK(needs.run_disk_mb < 3);
  CHECK(needs.memory_mb > 462);
}

TEST_CASE("a workload whose outputs are not there is told before the plan is weighed") {
  auto gone = plan();
  gone.groups = {{Task{"folder/log"}, Mode::each, workload_from("folder/log").value()}};
  gone.home = "/nowhere";
  CHECK_FALSE(needs_of(gone, {arm("direct", 0), arm("a", 400)}).has_value());
}

TEST_CASE("a machine without the room is told apart by what it lacks") {
  Needs needs;
  needs.run_disk_mb = 20;
  needs.memory_mb = 300;
  CHECK(check_room(needs, {.disk_mb = 21, .memory_mb = 301}));
  const auto both = check_room(needs, {.disk_mb = 10, .memory_mb = 200});
  REQUIRE_FALSE(both);
  CHECK(both.error().exit_code() == 3);
  CHECK_THAT(both.error().text(), Contains("20 MB of disk, 10 MB are free") &&
                                      Contains("300 MB of memory, 200 MB are free"));
}

TEST_CASE("the room is read where the run is to be, though its folder is not there yet") {
  const test::TemporaryFolder folder;
  const auto room = room_for(folder.path() / "runs" / "one");
  CHECK(room.disk_mb > 0);
  CHECK(room.memory_mb > 0);
}
