// tare run as a user types it: real arms, real failures, real signals. Nothing here depends on how
// long something takes.
#include <fmt/format.h>
#include <signal.h>
#include <sys/mount.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>

#include "common/hash.h"
#include "common/subprocess.h"
#include "common/zstd_stream.h"
#include "raw_http.h"
#include "run_home.h"
#include "tests/support/json_schema.h"
#include "tests/support/temporary_folder.h"

using namespace tare;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using Json = nlohmann::json;
using tare::test::Home;
namespace fs = std::filesystem;

namespace {

struct RunFolder {
  explicit RunFolder(const fs::path& folder) : path(folder) {
    const auto text = read_file(folder / "run.json");
    REQUIRE(text);
    run = Json::parse(*text);
  }

  // The rows of a file; every row must be as its schema says.
  std::vector<Json> rows(const std::string& name) const {
    std::string text;
    if (name == "events" || name == "fidelity") {
      text = *read_file(path / (name + ".jsonl"));
    } else {
      const auto content = zstd_read_file(path / (name + ".jsonl.zst"));
      REQUIRE(content);
      text = content->bytes;
    }
    const Json schema = test::schema("run-" + name);
    std::vector<Json> rows;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
      CAPTURE(name, line);
      rows.push_back(Json::parse(line));
      CHECK(test::takes(schema, rows.back(), schema));
    }
    return rows;
  }

  // What a killed or failed run must still be: readable, with every row whole.
  void check_readable() const {
    const Json schema = test::schema("run-document");
    CHECK(test::takes(schema, run, schema));
    for (const char* name :
         {"workload", "rounds", "starts", "groups", "requests", "upstream", "samples", "events"}) {
      rows(name);
    }
  }

  std::string body(const std::string& sha256) const {
    const auto content = zstd_read_file(path / "bodies" / sha256.substr(0, 2) / (sha256 + ".zst"));
    REQUIRE(content);
    return content->bytes;
  }

  fs::path path;
  Json run;
};

// Processes whose command line or environment holds the text.
std::set<std::string> processes_with(const std::string& text) {
  std::set<std::string> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    for (const char* file : {"cmdline", "environ"}) {
      const auto content = read_file(entry.path() / file);
      if (content && content->find(text) != std::string::npos) found.insert(name);
    }
  }
  return found;
}

bool soon(const std::function<bool()>& holds) {
  for (int i = 0; i < 3000; ++i) {
    if (holds()) return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

bool has_rows(const fs::path& file) {
  const auto content = zstd_read_file(file);
  return content && !content->bytes.empty();
}

}  // namespace

TEST_CASE("a run of real arms holds every request, and its rows are as documented") {
  const Home home;
  home.write_plan({"direct", "control", "tare"});
  SubprocessOptions options;
  options.argv = {TARE_BIN_DIR "/tare",        "--home", TARE_SOURCE_DIR, "run",
                  home.plans() / "small.json", "--out",  home.run(),      "--require-all"};
  const auto output = run_to_end(options, "", 300s);
  REQUIRE(output);
  CAPTURE(output->err);
  REQUIRE(output->status.code == 0);
  CHECK_THAT(output->out, Contains("report: tare report " + home.run().string()));

  const RunFolder folder(home.run());
  folder.check_readable();
  CHECK(folder.run["state"] == "complete");
  CHECK(folder.run["totals"]["planned_measured"] == 18);
  CHECK(folder.run["totals"]["measured"] == 18);
  CHECK(folder.run["totals"]["failed_measured"] == 0);
  CHECK(folder.run["totals"]["warmups"] == 12);
  const bool cgroups = folder.run["environment"]["cgroup_grade"] == "A";
  if (!cgroups) WARN("no cgroups here: CPU is not checked");

  CHECK(folder.rows("workload").size() == 6);
  const auto starts = folder.rows("starts");
  REQUIRE(starts.size() == 3);
  for (const Json& start : starts) {
    CHECK(start["outcome"] == "ok");
    CHECK(start["argv"].is_null() == (start["arm"] == "direct"));
  }
  const auto groups = folder.rows("groups");
  CHECK(groups.size() == 6);
  for (const Json& group : groups) {
    if (group["arm"] != "direct" && cgroups) CHECK(group["cpu_us"].is_number_integer());
    CHECK(group["requests"] == 3);
    CHECK(group["begin_ns"] < group["end_ns"]);
  }
  const auto requests = folder.rows("requests");
  CHECK(requests.size() == 30);
  for (const Json& request : requests) {
    CAPTURE(request.dump());
    CHECK(request["status"] == 200);
    CHECK(request["reply_correct"] == true);
    CHECK(request["attempts"] == 1);
    CHECK(request["sent_ns"] < request["last_byte_ns"]);
    if (request["arm"] == "tare") {
      CHECK(request["received_bytes"] <= request["sent_bytes"]);
    } else {
      CHECK(request["received_bytes"] == request["sent_bytes"]);
      CHECK(request["received_sha256"] == request["sent_sha256"]);
    }
    for (const char* sha256 : {"sent_sha256", "received_sha256"}) {
      CHECK(sha256_hex(folder.body(request[sha256])) == request[sha256].get<std::string>());
    }
  }
  const auto receipts = folder.rows("upstream");
  CHECK(std::ranges::count_if(receipts, [](const Json& row) { return row["method"] == "POST"; }) ==
        30);
  for (const Json& row : folder.rows("fidelity")) CHECK(row["decoded_equal"] == true);
  // Whatever else runs on this machine may be over a limit.
  for (const Json& event : folder.rows("events")) CHECK(event["kind"] == "gate");
  CHECK(folder.rows("rounds").size() == 1);
  if (cgroups) CHECK(folder.rows("samples").size() >= 2);
}

TEST_CASE("a run that is asked to end stops its arm and says so") {
  const auto [number, reason] = GENERATE(table<int, std::string>(
      {{SIGINT, "interrupted by SIGINT"}, {SIGTERM, "interrupted by SIGTERM"}}));
  const Home home;
  home.write_forwarder("forwarder");
  home.write_plan({"forwarder"}, 20, 1000);
  SubprocessOptions options;
  options.argv = home.command({"small"});
  auto process = Subprocess::start(options);
  REQUIRE(process);
  REQUIRE(soon([&] { return has_rows(home.run() / "groups.jsonl.zst"); }));
  process->signal(number);
  const auto status = process->wait(60s);
  REQUIRE(status);
  CHECK(status->code == 1);
  CHECK(soon([&] { return processes_with(home.path()).empty(); }));

  const RunFolder folder(home.run());
  folder.check_readable();
  CHECK(folder.run["state"] == "incomplete");
  CHECK(folder.run["reason"].get<std::string>() == reason);
  CHECK(folder.rows("events").back()["kind"] == "interrupted");
}

TEST_CASE("an interrupt ends the wait for an arm that does not become ready") {
  const Home home;
  home.write_arm("asleep", {"sleep", "1000"}, {{"tcp", true}, {"within_s", 600}});
  home.write_plan({"asleep"});
  SubprocessOptions options;
  options.argv = home.command({"small"});
  auto process = Subprocess::start(options);
  REQUIRE(process);
  REQUIRE(soon([&] { return fs::exists(home.run() / "logs" / "asleep-r1.out"); }));
  process->signal(SIGINT);
  const auto status = process->wait(60s);
  REQUIRE(status);
  CHECK(status->code == 1);
  CHECK(soon([&] { return processes_with(home.path()).empty(); }));
  const RunFolder folder(home.run());
  CHECK(folder.run["reason"] == "interrupted by SIGINT");
  CHECK(folder.rows("starts").at(0)["outcome"] == "interrupted");
}

TEST_CASE("a run that is killed is readable, says incomplete, and leaves no process") {
  const Home home;
  home.write_forwarder("forwarder");
  home.write_plan({"forwarder"}, 20, 1000);
  SubprocessOptions options;
  options.argv = home.command({"small"});
  auto process = Subprocess::start(options);
  REQUIRE(process);
  REQUIRE(soon([&] { return has_rows(home.run() / "groups.jsonl.zst"); }));
  process->signal(SIGKILL);
  REQUIRE(process->wait(60s));
  CHECK(soon([&] { return processes_with(home.path()).empty(); }));

  const RunFolder folder(home.run());
  folder.check_readable();
  CHECK(folder.run["state"] == "incomplete");
  CHECK(folder.run["reason"] == "running");
  CHECK_FALSE(folder.rows("requests").empty());
}

TEST_CASE("arms that hang or die at the start are told, and the rest goes on") {
  const Home home;
  home.write_arm("asleep", {"sleep", "1000"}, {{"tcp", true}, {"within_s", 1}});
  home.write_arm("broken", {"sh", "-c", "echo bad setting >&2; exit 3"},
                 {{"http", "/health"}, {"within_s", 30}});
  home.write_arm("nowhere", {"tare-no-such-program"}, {{"tcp", true}, {"within_s", 1}});
  home.write_plan({"asleep", "broken", "nowhere", "direct"});
  const bool require_all = GENERATE(false, true);
  const auto output = require_all ? home.tare_run({"small", "--require-all"}) : home.tare_run();
  CHECK(output.status.code == (require_all ? 1 : 0));
  CHECK_THAT(output.err, Contains("not run: asleep: not ready after 1 s") &&
                             Contains("not run: broken: ") && Contains("bad setting") &&
                             Contains("not run: nowhere: "));
  const RunFolder folder(home.run());
  folder.check_readable();
  CHECK(folder.run["state"] == "complete");
  CHECK(folder.run["totals"]["measured"] == 6);
  std::map<std::string, std::string> outcomes;
  for (const Json& start : folder.rows("starts")) outcomes[start["arm"]] = start["outcome"];
  CHECK(outcomes == std::map<std::string, std::string>{{"asleep", "hung"},
                                                       {"broken", "crashed"},
                                                       {"nowhere", "not_installed"},
                                                       {"direct", "ok"}});
}

TEST_CASE("an arm that dies under its requests makes the run incomplete, and the rest goes on") {
  const Home home;
  home.write_arm("dies",
                 {"python3", "-u", TARE_SOURCE_DIR "/tests/fixtures/faulty_forwarder.py", "dies",
                  "{port}", "{upstream_address}"},
                 {{"stdout_line", true}, {"within_s", 30}});
  home.write_plan({"dies", "direct"}, 20, 1, {{{"task", "code"}, {"mode", "repeated"}}});
  const auto output = home.tare_run();
  CHECK(output.status.code == 1);
  const RunFolder folder(home.run());
  CHECK(folder.run["state"] == "incomplete");
  CHECK_THAT(folder.run["reason"].get<std::string>(),
             Contains("arm dies, round 1: crashed: ") && Contains("gave up"));
  const auto starts = folder.rows("starts");
  CHECK(starts.at(0)["exit_code"] == 7);
  CHECK(starts.at(1)["outcome"] == "ok");
}

TEST_CASE("an arm that cannot reach the upstream fails, with what it answered") {
  const Home home;
  home.write_forwarder("lost", "http://127.0.0.1:1");
  home.write_plan({"lost"});
  const auto output = home.tare_run();
  CHECK(output.status.code == 1);
  CHECK_THAT(output.err, Contains("incomplete: arm lost, round 1: failed: HTTP 502"));
  const RunFolder folder(home.run());
  const auto requests = folder.rows("requests");
  REQUIRE(requests.size() == 1);
  CHECK(requests[0]["status"] == 502);
  CHECK(requests[0]["attempts"] == 0);
  CHECK(requests[0]["received_bytes"].is_null());
  CHECK(requests[0]["reply_correct"] == false);
}

TEST_CASE("a rate limit ends the start, and the run is kept, incomplete and out of any figure") {
  test::RawUpstream limiter;
  limiter.reply_to("/v1/responses",
                   "HTTP/1.1 429 Too Many Requests\r\nContent-Length: 12\r\n\r\nslower there");
  const Home home;
  home.write_forwarder("limited", limiter.url());
  home.write_plan({"limited", "direct"});
  const auto output = home.tare_run();
  CHECK(output.status.code == 1);
  CHECK_THAT(output.err, Contains("arm limited, round 1: rate_limited: HTTP 429: slower there"));
  const RunFolder folder(home.run());
  CHECK(folder.run["state"] == "incomplete");
  CHECK(folder.rows("starts").at(0)["outcome"] == "rate_limited");
  CHECK(folder.rows("starts").at(1)["outcome"] == "ok");
  SubprocessOptions options;
  options.argv = {TARE_BIN_DIR "/tare", "report", home.run()};
  const auto report = run_to_end(options, "", 60s);
  REQUIRE(report);
  CHECK(report->status.code == 0);
  CHECK_THAT(report->out, Contains("HTTP 429"));
}

TEST_CASE("wrong words are answered with exit code 2 and what there is") {
  const Home home;
  home.write_plan({"direct"});
  const auto plan = home.tare_run({"no-such-plan"});
  CHECK(plan.status.code == 2);
  CHECK_THAT(plan.err, Contains("no-such-plan") && Contains("small"));
  const auto arm = home.tare_run({"small", "--arms", "direct,no-such-arm"});
  CHECK(arm.status.code == 2);
  CHECK_THAT(arm.err, Contains("no-such-arm") && Contains("direct"));
  CHECK(home.tare_run({"small", "--rounds", "0"}).status.code == 2);
  CHECK(home.tare_run({"small", "--arms", "direct,direct"}).status.code == 2);
  CHECK(home.tare_run({"small", "--seed", "-1"}).status.code == 2);
  CHECK(home.tare_run({"small", "--seed", "99999999999999999999"}).status.code == 2);
  CHECK_FALSE(fs::exists(home.run()));
}

TEST_CASE("the options arms and rounds change the plan, and the run says which was run") {
  const Home home;
  home.write_forwarder("forwarder");
  home.write_plan({"direct"});
  const auto output =
      home.tare_run({"--arms", "forwarder,direct", "small", "--rounds", "2", "--seed", "7"});
  REQUIRE(output.status.code == 0);
  const RunFolder folder(home.run());
  CHECK(folder.run["plan"]["arms"] == Json{"direct", "forwarder"});
  CHECK(folder.run["plan"]["rounds"] == 2);
  CHECK(folder.run["plan"]["seed"] == 7);
  CHECK(folder.run["plan_sha256"].get<std::string>() == sha256_hex(folder.run["plan"].dump()));
  CHECK(folder.rows("starts").size() == 4);
}

TEST_CASE("a run for private content keeps no bodies and no quotes of them, and is reported") {
  const Home home;
  home.write_forwarder("forwarder");
  home.write_plan({"direct", "forwarder"});
  REQUIRE(home.tare_run({"small", "--no-bodies"}).status.code == 0);
  const RunFolder folder(home.run());
  CHECK(folder.run["state"] == "complete");
  for (const char* name : {"bodies", "scores.jsonl", "logs"}) {
    CHECK_FALSE(fs::exists(home.run() / name));
  }
  for (const Json& request : folder.rows("requests")) {
    CHECK(request["received_sha256"] == request["sent_sha256"]);
  }
  SubprocessOptions options;
  options.argv = {TARE_BIN_DIR "/tare", "--home", TARE_SOURCE_DIR, "report", home.run().string()};
  const auto report = run_to_end(options, "", 60s);
  REQUIRE(report);
  CHECK(report->status.code == 0);
  CHECK(report->err.empty());
}

TEST_CASE("a run is never written over another") {
  const Home home;
  home.write_plan({"direct"});
  REQUIRE(home.tare_run().status.code == 0);
  const auto before = *read_file(home.run() / "run.json");
  const auto again = home.tare_run();
  CHECK(again.status.code == 2);
  CHECK_THAT(again.err, Contains("exists already"));
  CHECK(*read_file(home.run() / "run.json") == before);
}

TEST_CASE("a folder that cannot be made is one line with the remedy") {
  const Home home;
  home.write_plan({"direct"});
  std::ofstream(home.path() / "file") << "x";
  const auto output = home.tare_run({"small", "--out", home.path() / "file" / "run"});
  CHECK(output.status.code == 1);
  CHECK_THAT(output.err, Contains("--out"));
  CHECK(std::ranges::count(output.err, '\n') == 1);
}

TEST_CASE("a plan that this machine cannot hold is refused with the figures") {
  const Home home;
  home.write_arm("direct", R"({
      "name": "direct", "title": "direct", "kind": "direct", "licence": "none", "base_url": "{upstream}",
      "routes": {"responses": "/v1/responses"}, "claims": {"lossless": true}, "cost": {"memory_mb": 1e9}})");
  home.write_plan({"direct"});
  const auto output = home.tare_run();
  CHECK(output.status.code == 3);
  CHECK_THAT(output.err, Contains("cannot hold the plan") && Contains("MB of memory") &&
                             Contains("MB are free"));
  CHECK_FALSE(fs::exists(home.run()));
}

TEST_CASE("a full disk ends the run with one line, what was written is readable, and it goes on") {
  const Home home;
  home.write_plan({"direct"}, 40, 200);
  fs::create_directories(home.path() / "disk");
  struct Mount {
    explicit Mount(const fs::path& at) : path(at) {
      mounted = ::mount("none", path.c_str(), "tmpfs", 0, "size=12m") == 0;
    }
    ~Mount() {
      if (mounted) ::umount(path.c_str());
    }
    fs::path path;
    bool mounted = false;
  } const disk(home.path() / "disk");
  if (!disk.mounted) {
    WARN("SKIPPED: mounting a small disk needs root");
    return;
  }
  // Another program fills it up while the run goes on.
  std::jthread ballast([&] {
    soon([&] { return has_rows(disk.path / "run" / "groups.jsonl.zst"); });
    std::ofstream(disk.path / "ballast") << std::string(12 << 20, 'x');
  });
  const auto output = home.tare_run({"small", "--out", disk.path / "run"});
  CHECK(output.status.code == 1);
  CHECK_THAT(output.err, Contains("free some space"));
  const RunFolder folder(disk.path / "run");
  CHECK(folder.run["state"] == "incomplete");
  folder.check_readable();
  ballast.join();
  fs::remove(disk.path / "ballast");
  const auto resumed = home.tare_run({"--resume", disk.path / "run"});
  CAPTURE(resumed.err);
  CHECK(resumed.status.code == 0);
  CHECK(RunFolder(disk.path / "run").run["state"] == "complete");
  // Of a disk that may only be read everything can still be read.
  REQUIRE(::mount("none", disk.path.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, "size=12m") == 0);
  const auto words = [&](const char* word) {
    SubprocessOptions options;
    options.argv = {TARE_BIN_DIR "/tare", "--home", TARE_SOURCE_DIR, word, disk.path / "run"};
    return run_to_end(options, "", 60s).value();
  };
  CHECK(words("report").status.code == 0);
  const auto verified = words("verify");
  CHECK(verified.status.code == 1);
  CHECK_THAT(verified.err, Contains("Read-only file system"));
}
