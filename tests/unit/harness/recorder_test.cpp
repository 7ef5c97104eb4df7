#include "harness/recorder.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "common/files.h"
#include "common/hash.h"
#include "common/zstd_stream.h"
#include "harness/plan.h"
#include "tests/support/json_schema.h"
#include "tests/support/temporary_folder.h"

using namespace tare;
using namespace tare::harness;
using Catch::Matchers::Contains;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

RunDocument document() {
  RunDocument document;
  document.started_at = "2026-11-30T12:00:00Z";
  Plan plan;
  plan.name = "p";
  plan.title = "t";
  plan.arms = {"a"};
  plan.groups = {published_group(Task::logs, Mode::unique)};
  document.plan_json = to_json(plan);
  ArmRecord arm;
  arm.name = "a";
  arm.kind = "forwarder";
  arm.identity_json = R"({"version":"1.2"})";
  arm.environment = {{"HOME", "{state}"}};
  document.arms = {arm, arm};
  document.arms[1].not_installed = "a: not installed";
  document.arms[1].identity_json.reset();
  document.arms[1].decoder = std::vector<std::string>{"decode"};
  return document;
}

std::string sha_of(std::string_view text) {
  return sha256_hex(text);
}

RequestRow request_row() {
  RequestRow row;
  row.task = Task::logs;
  row.request = 1;
  row.start = 1;
  row.round = 1;
  row.arm = "a";
  row.sent_sha256 = sha_of("x");
  return row;
}

StartRow start_row() {
  StartRow row;
  row.start = 1;
  row.round = 1;
  row.position = 1;
  row.arm = "a";
  return row;
}

std::vector<Json> lines_of(const std::string& text) {
  std::vector<Json> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(Json::parse(line));
  return lines;
}

std::vector<Json> rows(const fs::path& file) {
  const auto content = zstd_read_file(file);
  REQUIRE(content);
  CHECK(content->damage.empty());
  return lines_of(content->bytes);
}

Json run_json(const fs::path& folder) {
  const auto text = read_file(folder / "run.json");
  REQUIRE(text);
  return Json::parse(*text);
}

// Every field that may be absent: absent in one row and there in the other.
void check_row(const std::string& schema_name, const std::string& bare, const std::string& full) {
  const Json schema = test::schema("run-" + schema_name);
  CAPTURE(schema_name, bare, full);
  CHECK(test::takes(schema, Json::parse(bare), schema));
  CHECK(test::takes(schema, Json::parse(full), schema));
}

}  // namespace

TEST_CASE("each row has exactly the documented fields") {
  WorkloadRow workload;
  workload.task = Task::logs;
  workload.sha256 = sha_of("a");
  workload.output_sha256 = sha_of("b");
  workload.facts = {{"n", {"s"}}};
  const std::string bare_workload = to_json(workload);
  workload.class_name = workload.name = workload.conversation = "x";
  workload.turn = 1;
  check_row("workload", bare_workload, to_json(workload));

  RetrievedRow retrieved;
  retrieved.arm = "a";
  retrieved.forwarded_sha256 = sha_of("a");
  retrieved.marker = "<<k>>";
  const std::string bare_retrieved = to_json(retrieved);
  retrieved.status = 200;
  retrieved.sha256 = sha_of("b");
  retrieved.bytes = 1;
  retrieved.error = "why";
  check_row("retrieved", bare_retrieved, to_json(retrieved));

  RoundRow round;
  round.round = 1;
  const std::string bare_round = to_json(round);
  round.design = Design::sliced;
  round.order = {"a", "b"};
  round.replaces = 1;
  round.conditions = {
      .steal_share = 0.01, .foreign_cpu_share = 0.5, .clock_step_ns = -5, .swap_bytes = 4096};
  round.discarded = DiscardCause::foreign_cpu;
  check_row("rounds", bare_round, to_json(round));

  StartRow start = start_row();
  const std::string bare_start = to_json(start);
  start.argv = {"a", "b"};
  start.reason = "why";
  start.began_ns = start.ready_ns = start.ended_ns = 1;
  start.cpu_at_ready_us = start.anon_at_ready_bytes = 2;
  start.first_request_ns = 4;
  start.design = Design::isolated;
  start.cpu_total_us = start.rusage_total_us = start.peak_bytes = 3;
  start.grade = 'A';
  start.peak_since = "warm-up";
  start.exit_code = 0;
  start.exit_signal = 15;
  check_row("starts", bare_start, to_json(start));

  GroupRow group;
  group.task = Task::logs;
  group.start = group.round = 1;
  const std::string bare_group = to_json(group);
  group.cpu_us = group.anon_begin_bytes = group.anon_end_bytes = 1;
  group.private_begin_bytes = group.private_end_bytes = 2;
  group.cpu_after_us = group.idle_us = group.idle_cpu_us = 3;
  group.slice = 0;
  group.slice_position = 1;
  group.source = "proc";
  check_row("groups", bare_group, to_json(group));

  RequestRow request = request_row();
  const std::string bare_request = to_json(request);
  request.first_byte_ns = request.last_byte_ns = request.received_bytes = 1;
  request.status = 200;
  request.slice = 0;
  request.received_sha256 = sha_of("y");
  request.error = "why";
  check_row("requests", bare_request, to_json(request));

  UpstreamRow upstream;
  upstream.upstream_request = 1;
  upstream.sha256 = sha_of("y");
  const std::string bare_upstream = to_json(upstream);
  upstream.request = 1;
  upstream.start = 1;
  upstream.headers = {{"via", "x"}};
  check_row("upstream", bare_upstream, to_json(upstream));

  SampleRow sample;
  sample.start = 1;
  const std::string bare_sample = to_json(sample);
  sample.cpu_us = sample.anon_bytes = 1;
  check_row("samples", bare_sample, to_json(sample));

  EventRow event;
  event.at = "2026-11-30T12:00:00Z";
  event.kind = "warning";
  const std::string bare_event = to_json(event);
  event.arm = "a";
  event.round = 1;
  check_row("events", bare_event, to_json(event));
}

TEST_CASE("run.json has exactly the documented fields, while it runs and when it ended") {
  const Json schema = test::schema("run-document");
  RunDocument run = document();
  const auto running = to_json(run);
  REQUIRE(running);
  CHECK(test::takes(schema, Json::parse(*running), schema));
  run.incomplete.reset();
  run.ended_at = "2026-11-30T12:01:00Z";
  run.environment.governor = "performance";
  run.environment.turbo = run.environment.smt = "off";
  run.environment.huge_pages = "madvise";
  run.environment.steal_share = 0.01;
  run.environment.cpu_flags = {"avx2"};
  run.arms[1].twin_of = "a";
  const auto ended = to_json(run);
  REQUIRE(ended);
  CHECK(test::takes(schema, Json::parse(*ended), schema));
  const Json plan_schema = test::schema("plan");
  CHECK(test::takes(plan_schema, Json::parse(*ended)["plan"], plan_schema));
}

TEST_CASE("every field of the schemas stands in docs/raw-format.md") {
  const auto text = read_file(fs::path(TARE_SOURCE_DIR) / "docs" / "raw-format.md");
  REQUIRE(text);
  for (const char* name : {"document", "workload", "rounds", "starts", "groups", "requests",
                           "upstream", "samples", "events"}) {
    const Json properties = test::schema(std::string("run-") + name)["properties"];
    REQUIRE_FALSE(properties.empty());
    for (const auto& [field, type] : properties.items()) {
      CAPTURE(name, field);
      CHECK_THAT(*text, Contains(field));
    }
  }
}

TEST_CASE("values of every kind of name are those of the schemas") {
  const Json outcomes = test::schema("run-starts")["properties"]["outcome"]["enum"];
  for (const Outcome outcome :
       {Outcome::ok, Outcome::rate_limited, Outcome::crashed, Outcome::hung, Outcome::not_installed,
        Outcome::leaked, Outcome::failed, Outcome::interrupted}) {
    CHECK(std::ranges::find(outcomes, Json(name_of(outcome))) != outcomes.end());
  }
}

TEST_CASE("designs and causes have the names of the schemas") {
  const Json properties = test::schema("run-rounds")["properties"];
  const Json designs = test::schema("run-rounds")["$defs"]["design"]["enum"];
  for (const Design design : {Design::published, Design::sliced, Design::isolated}) {
    CHECK(std::ranges::find(designs, Json(name_of(design))) != designs.end());
  }
  const Json causes = properties["discarded"]["enum"];
  for (const DiscardCause cause :
       {DiscardCause::canary, DiscardCause::steal, DiscardCause::foreign_cpu,
        DiscardCause::clock_step, DiscardCause::swap}) {
    CHECK(std::ranges::find(causes, Json(name_of(cause))) != causes.end());
  }
}

TEST_CASE("bytes that are no UTF-8 do not stop a row") {
  StartRow row = start_row();
  row.reason = "said \xff\xfe";
  CHECK(Json::parse(to_json(row))["reason"] == "said \xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST_CASE("a folder says incomplete from the first moment, and complete only when finished") {
  const test::TemporaryFolder temporary;
  const fs::path folder = temporary.path() / "runs" / "one";
  const auto recorder = make_recorder(folder, document());
  REQUIRE(recorder);
  CHECK(run_json(folder)["state"] == "incomplete");
  CHECK(run_json(folder)["reason"] == "running");
  CHECK(run_json(folder)["plan"]["name"] == "p");
  CHECK(run_json(folder)["plan_sha256"] == sha_of(document().plan_json));
  for (const char* name :
       {"workload", "rounds", "starts", "groups", "requests", "upstream", "samples"}) {
    CHECK(rows(folder / (std::string(name) + ".jsonl.zst")).empty());
  }
  CHECK(read_file(folder / "events.jsonl") == "");

  (*recorder)->add(start_row());
  RunDocument end = document();
  end.incomplete.reset();
  REQUIRE((*recorder)->finish(end));
  CHECK(run_json(folder)["state"] == "complete");
  CHECK(run_json(folder)["reason"].is_null());
  CHECK(rows(folder / "starts.jsonl.zst").size() == 1);
}

TEST_CASE("what was committed is readable, what was not is not there") {
  const test::TemporaryFolder temporary;
  const auto recorder = make_recorder(temporary.path(), document());
  REQUIRE(recorder);
  (*recorder)->add(request_row());
  (*recorder)->add(request_row());
  EventRow event;
  event.kind = "warning";
  (*recorder)->add(event);
  REQUIRE((*recorder)->commit());
  (*recorder)->add(request_row());
  CHECK(rows(temporary.path() / "requests.jsonl.zst").size() == 2);
  CHECK(lines_of(*read_file(temporary.path() / "events.jsonl")).size() == 1);
  REQUIRE((*recorder)->commit());
  CHECK(rows(temporary.path() / "requests.jsonl.zst").size() == 3);
}

TEST_CASE("a file cut inside a frame is readable up to the frame before") {
  const test::TemporaryFolder temporary;
  const auto recorder = make_recorder(temporary.path(), document());
  REQUIRE(recorder);
  const fs::path file = temporary.path() / "requests.jsonl.zst";
  for (int i = 0; i < 2; ++i) {
    (*recorder)->add(request_row());
    REQUIRE((*recorder)->commit());
  }
  fs::resize_file(file, fs::file_size(file) - 3);
  const auto content = zstd_read_file(file);
  REQUIRE(content);
  CHECK_FALSE(content->damage.empty());
  CHECK(lines_of(content->bytes).size() == 1);
}

TEST_CASE("a body is kept once, under its SHA-256") {
  const test::TemporaryFolder temporary;
  const auto recorder = make_recorder(temporary.path(), document());
  REQUIRE(recorder);
  const std::string body = "the body";
  const std::string sha256 = sha_of(body);
  (*recorder)->keep_body(sha256, body);
  (*recorder)->keep_body(sha256, "never looked at");
  REQUIRE((*recorder)->commit());
  const auto content =
      zstd_read_file(temporary.path() / "bodies" / sha256.substr(0, 2) / (sha256 + ".zst"));
  REQUIRE(content);
  CHECK(content->bytes == body);
}

TEST_CASE("a run is never overwritten") {
  const test::TemporaryFolder temporary;
  REQUIRE(make_recorder(temporary.path() / "run", document()));
  const auto again = make_recorder(temporary.path() / "run", document());
  REQUIRE_FALSE(again);
  CHECK(again.error().code == Error::Code::usage);
  CHECK_THAT(again.error().text(), Contains("exists already") && Contains("--out"));
}

TEST_CASE("a folder that cannot be made is an error with the path and the remedy") {
  const test::TemporaryFolder temporary;
  std::ofstream(temporary.path() / "file") << "x";
  const auto made = make_recorder(temporary.path() / "file" / "run", document());
  REQUIRE_FALSE(made);
  CHECK(made.error().exit_code() == 1);
  CHECK_THAT(made.error().text(),
             Contains((temporary.path() / "file").string()) && Contains("--out"));
}

TEST_CASE("a write that fails is an error, and run.json is still put right") {
  const test::TemporaryFolder temporary;
  const auto recorder = make_recorder(temporary.path(), document());
  REQUIRE(recorder);
  // A file where the folder of the body has to be.
  const std::string sha256 = sha_of("the body");
  std::ofstream(temporary.path() / "bodies" / sha256.substr(0, 2)) << "x";
  (*recorder)->keep_body(sha256, "the body");
  const auto committed = (*recorder)->commit();
  REQUIRE_FALSE(committed);
  CHECK(committed.error().exit_code() == 1);
  CHECK_FALSE(committed.error().remedy.empty());
  RunDocument end = document();
  end.incomplete = "cannot write";
  CHECK((*recorder)->finish(end));
  CHECK(run_json(temporary.path())["reason"] == "cannot write");
}
