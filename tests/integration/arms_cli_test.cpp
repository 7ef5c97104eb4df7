// tare arms, tare plan and tare workload as a user types them: the built program, its words and its
// exit codes.
#include <signal.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "common/files.h"
#include "common/hash.h"
#include "common/subprocess.h"
#include "common/zstd_stream.h"
#include "harness/workload.h"
#include "tests/support/processes.h"
#include "tests/support/temporary_folder.h"

using namespace tare;
using Catch::Contains;
using Catch::EndsWith;
using Catch::StartsWith;
namespace fs = std::filesystem;

namespace {

const fs::path source = TARE_SOURCE_DIR;
const fs::path fixtures = source / "tests" / "fixtures";

// A cache folder and a home with arms/ of its own, both removed at the end.
class Scratch {
 public:
  Scratch() { REQUIRE(make_directories(home() / "arms")); }
  fs::path home() const { return root_ / "home"; }
  fs::path cache() const { return root_ / "cache"; }

  Output tare(std::vector<std::string> words, const fs::path& home_folder = source) const {
    words.insert(words.begin(), TARE_BIN_DIR "/tare");
    SubprocessOptions options;
    options.argv = std::move(words);
    const char* path = std::getenv("PATH");
    options.environment = {"PATH=" + std::string(path != nullptr ? path : "/usr/bin:/bin"),
                           "TARE_CACHE=" + cache().string(), "TARE_HOME=" + home_folder.string()};
    auto output = run_to_end(options, "", std::chrono::seconds(120));
    REQUIRE(output);
    return *output;
  }

  // An arm named `faulty` that is the fixture with one fault.
  void add_faulty(const std::string& fault, int within_s,
                  const std::string& kind = "forwarder") const {
    REQUIRE(make_directories(home() / "arms" / "faulty"));
    REQUIRE(write_file(home() / "arms" / "faulty" / "arm.json",
                       R"({
      "name": "faulty", "title": "faulty", "licence": "Apache-2.0", "kind": ")" +
                           kind + R"(",
      "command": ["python3", ")" +
                           (fixtures / "faulty_forwarder.py").string() + R"(", ")" + fault +
                           R"(", "{port}", "{upstream_address}"], "env": {"PYTHONUNBUFFERED": "1"},
      "ready": {"stdout_line": true, "within_s": )" +
                           std::to_string(within_s) + R"(},
      "base_url": "http://127.0.0.1:{port}", "routes": {"responses": "/v1/responses"}, "claims": {"lossless": true}})"));
  }

 private:
  test::TemporaryFolder root_;
};

}  // namespace

TEST_CASE("workload emit writes a published body, byte for byte") {
  const Scratch scratch;
  const auto body = scratch.tare({"workload", "emit", "json", "unique", "5"});
  CHECK(body.status.ok());
  CHECK(body.err.empty());
  const auto hashes = read_file(source / "data/published/request-sha256.json");
  REQUIRE(hashes);
  CHECK_THAT(*hashes, Contains('"' + sha256_hex(body.out) + '"'));
  const auto repeated = scratch.tare({"workload", "emit", "json", "repeated", "5"});
  CHECK(repeated.out == scratch.tare({"workload", "emit", "json", "unique", "0"}).out);
}

TEST_CASE("wrong words end with exit code 2 and say what there is") {
  const Scratch scratch;
  const auto ends = [&](std::vector<std::string> words, const std::string& says) {
    const auto output = scratch.tare(std::move(words));
    CHECK(output.status.code == 2);
    CHECK_THAT(output.err, Contains(says));
    CHECK(output.out.empty());
  };
  ends({"arms", "check", "nothing"},
       "unknown arm \"nothing\" (the arms are caddy, control, direct, ");
  ends({"arms", "install", "nothing"}, "unknown arm \"nothing\"");
  ends({"arms", "remove", "nothing"}, "unknown arm \"nothing\"");
  ends({"plan", "show", "nothing"}, "unknown plan \"nothing\" (the plans in ");
  ends({"workload", "emit", "tables", "unique", "0"},
       "unknown workload \"tables\" (use logs, json, code, folder/CLASS");
  ends({"workload", "emit", "logs", "unique", "-1"}, "INDEX");
  ends({"frobnicate"}, "--help");
  ends({}, "--help");
}

TEST_CASE("version and help end with exit code 0") {
  const Scratch scratch;
  const auto version = scratch.tare({"--version"});
  CHECK(version.status.ok());
  CHECK_THAT(version.out, StartsWith("tare 0.") && Contains("("));
  const auto help = scratch.tare({"--help-all"});
  CHECK(help.status.ok());
  for (const char* word : {"arms check", "plan show", "workload emit", "INDEX", "TARE_HOME",
                           "TARE_CACHE", "Exit codes"}) {
    CHECK_THAT(help.out, Contains(word));
  }
}

TEST_CASE("plan show tells arms, order, requests and what it will take") {
  const Scratch scratch;
  const auto shown = scratch.tare({"plan", "show", "published"});
  CHECK(shown.status.ok());
  for (const char* line :
       {"round 1: tare, headroom-0.37.0, control, direct, nginx, forwarder-httplib\n",
        "round 2: headroom-0.37.0, control, tare, direct, nginx, forwarder-httplib\n",
        "round 3: control, tare, headroom-0.37.0, direct, nginx, forwarder-httplib\n",
        "measured requests: 4320 (40 a group and start, or each body once)\n",
        "warm-up requests: 540 (5 a group and start)\n", "minutes", "MB of disk", "MB of memory"}) {
    CHECK_THAT(shown.out, Contains(line));
  }
  CHECK(scratch.tare({"run", "smoke", "--arms-only"}).out == "direct\ncontrol\ntare\n");
  CHECK(scratch.tare({"run", "smoke", "--arms", "tare,direct", "--arms-only"}).out ==
        "direct\ntare\n");
}

TEST_CASE("an invalid manifest is refused, each fault on a line with its place") {
  const Scratch scratch;
  const auto folder = scratch.home() / "arms" / "bad";
  REQUIRE(make_directories(folder));
  REQUIRE(write_file(folder / "arm.json", R"({"name": "bad", "kind": "magic", "title": 1})"));
  for (const auto& words : {std::vector<std::string>{"arms", "list"}, {"arms", "check", "bad"}}) {
    const auto output = scratch.tare(words, scratch.home());
    CHECK(output.status.code == 1);
    CHECK_THAT(output.err, Contains("bad/arm.json: /title: expected a text, found 1\n") &&
                               Contains("bad/arm.json: /kind: expected one of") &&
                               Contains("bad/arm.json: /routes: required, but missing\n"));
  }
}

TEST_CASE("the example of docs/adding-an-arm.md installs, passes its check, and is removed") {
  const Scratch scratch;
  CHECK_THAT(scratch.tare({"arms", "list"}, fixtures).out,
             Contains("python-forwarder") && Contains("not installed"));
  const auto checked = scratch.tare({"arms", "check", "python-forwarder"}, fixtures);
  INFO(checked.out << checked.err);
  CHECK(checked.status.ok());
  for (const char* step : {"install        ok", "start          ok",
                           "forward        ok      logs: 22196 bytes sent, 22196 forwarded\n",
                           "stream         ok", "stop           ok", "leave nothing  ok"}) {
    CHECK_THAT(checked.out, Contains(step));
  }
  CHECK_THAT(checked.out, !Contains("failed"));
  const auto removed = scratch.tare({"arms", "remove", "python-forwarder"}, fixtures);
  CHECK(removed.out == "python-forwarder: removed\n");
  CHECK_FALSE(fs::exists(scratch.cache() / "arms" / "python-forwarder"));
}

TEST_CASE("check finds what breaks the contract of an arm") {
  struct Case {
    const char* fault;
    const char* found;
  };
  const auto c = GENERATE(
      Case{"changes-body", "forward        failed  the body was changed on its way"},
      Case{"changes-reply", "forward        failed  the reply is not, byte for byte"},
      Case{"changes-a-later-reply", "forward        failed  the reply is not, byte for byte"},
      Case{"breaks-events", "stream         failed  a stream was changed"},
      Case{"hangs-up", "forward        failed  the upstream received it 2 times"},
      Case{"collects", "stream         failed  the first event of a stream was held back"},
      Case{"leaves-process", "leave nothing  failed  processes left behind: 1"},
      Case{"ends", "start          failed  arm faulty"},
      Case{"never-ready", "not ready after 1 s, no whole line on its stdout"},
      Case{"ignores-sigterm", "stop           failed  did not end within the grace time"});
  const Scratch scratch;
  scratch.add_faulty(c.fault, std::string(c.fault) == "never-ready" ? 1 : 20);
  const auto checked = scratch.tare({"arms", "check", "faulty"}, scratch.home());
  INFO(checked.out << checked.err);
  CHECK(checked.status.code == 1);
  CHECK_THAT(checked.out, Contains(c.found));
}

TEST_CASE("check notes an exit code after SIGTERM, as runs do, and is no worse for it") {
  const Scratch scratch;
  scratch.add_faulty("fails-at-end", 20);
  const auto checked = scratch.tare({"arms", "check", "faulty"}, scratch.home());
  INFO(checked.out << checked.err);
  CHECK(checked.status.ok());
  CHECK_THAT(checked.out, Contains("stop           ok      ended on SIGTERM, with exit code 7\n"));
}

TEST_CASE("a run says of an arm whose folder was edited that the old copy is measured") {
  const Scratch scratch;
  const auto arm = scratch.home() / "arms" / "python-forwarder";
  fs::copy(fixtures / "arms" / "python-forwarder", arm);
  const auto plan = scratch.home() / "plan.json";
  REQUIRE(write_file(plan, R"({"name": "p", "title": "P", "protocol": "published", "rounds": 1,
    "arms": ["python-forwarder"], "warmups": 0, "requests": 1,
    "groups": [{"task": "logs", "mode": "unique"}]})"));
  const std::string warning =
      "arms/python-forwarder changed since it was installed; type: tare arms install "
      "python-forwarder";
  const auto run = [&](const std::string& name) {
    const auto folder = scratch.home() / name;
    auto output = scratch.tare({"run", plan.string(), "--out", folder.string()}, scratch.home());
    CAPTURE(output.out, output.err);
    CHECK(output.status.ok());
    return std::pair(output.err, read_file(folder / "run.json").value());
  };
  const auto install = [&] {
    CHECK(scratch.tare({"arms", "install", "python-forwarder"}, scratch.home()).status.ok());
  };
  install();
  REQUIRE(
      write_file(arm / "forwarder.py", read_file(arm / "forwarder.py").value() + "# a new line\n"));
  CHECK_THAT(scratch.tare({"arms", "list"}, scratch.home()).out, Contains("outdated"));
  const auto [said, kept] = run("old");
  CHECK_THAT(said, Contains("tare: python-forwarder: " + warning + "\n"));
  CHECK_THAT(kept, Contains(warning));
  install();
  const auto [said_after, kept_after] = run("new");
  CHECK_THAT(said_after, !Contains("changed since"));
  CHECK_THAT(kept_after, !Contains("changed since"));
}

TEST_CASE("check finds an arm that cheats, though it calls itself a compressor") {
  struct Case {
    const char* fault;
    const char* found;
  };
  const auto c = GENERATE(
      Case{"knows-header", "disguise       failed  code: 16712 bytes forwarded, 8356 of the"},
      Case{"knows-body", "disguise       failed  logs: 22196 bytes forwarded, 11098 of the"},
      Case{"spares-body", "disguise       failed  logs: 11098 bytes forwarded, 22196 of the"},
      Case{"remembers", "repeat         failed  it answered without asking the upstream"},
      Case{"shortens-known", "repeat         failed  the same request was forwarded otherwise"});
  const Scratch scratch;
  scratch.add_faulty(c.fault, 20, "compressor");
  const auto checked = scratch.tare({"arms", "check", "faulty"}, scratch.home());
  INFO(checked.out << checked.err);
  CHECK(checked.status.code == 1);
  CHECK_THAT(checked.out, Contains(c.found));
}

TEST_CASE("an installation that is stopped leaves no process and no installed arm") {
  const Scratch scratch;
  const auto folder = scratch.home() / "arms" / "slow";
  REQUIRE(make_directories(folder));
  REQUIRE(write_file(folder / "arm.json", R"({
    "name": "slow", "title": "slow", "kind": "forwarder", "licence": "Apache-2.0", "install": "install.sh",
    "command": ["slow"], "ready": {"tcp": true}, "base_url": "http://127.0.0.1:{port}",
    "routes": {"responses": "/v1/responses"}, "claims": {"lossless": true}})"));
  REQUIRE(write_file(folder / "install.sh",
                     "#!/bin/sh\nsleep 60 &\necho $! > pid.part\nmv pid.part pid\nwait\n"));
  fs::permissions(folder / "install.sh", fs::perms::owner_all);

  SubprocessOptions options;
  options.argv = {
      TARE_BIN_DIR "/tare", "--home", scratch.home().string(), "arms", "install", "slow"};
  options.environment = {"PATH=/usr/bin:/bin", "TARE_CACHE=" + scratch.cache().string()};
  auto tare = Subprocess::start(options);
  REQUIRE(tare);
  while (!fs::exists(folder / "pid") && !tare->wait(std::chrono::milliseconds(10))) {
  }
  const auto sleeper = std::stoi(read_file(folder / "pid").value());
  tare->signal(SIGTERM);
  const auto status = tare->wait(std::chrono::seconds(60));
  REQUIRE(status);
  CHECK(status->signal == SIGTERM);
  CHECK(test::goes_away(sleeper));
  CHECK_THAT(scratch.tare({"arms", "list"}, scratch.home()).out, Contains("not installed"));
}

TEST_CASE("an installer that cannot be executed is told how to become so") {
  const Scratch scratch;
  const auto folder = scratch.home() / "arms" / "plain";
  REQUIRE(make_directories(folder));
  REQUIRE(write_file(folder / "arm.json", R"({
    "name": "plain", "title": "plain", "kind": "forwarder", "licence": "MIT", "install": "install.sh",
    "command": ["x"], "ready": {"tcp": true}, "base_url": "http://127.0.0.1:{port}",
    "routes": {"responses": "/r"}, "claims": {"lossless": true}})"));
  REQUIRE(write_file(folder / "install.sh", "#!/bin/sh\necho '{}'\n"));
  const auto output = scratch.tare({"arms", "install", "plain"}, scratch.home());
  CHECK(output.status.code == 1);
  CHECK_THAT(output.err, Contains("install.sh: cannot be executed") && Contains("chmod +x"));
}

TEST_CASE("a cache folder that cannot be written is named") {
  const Scratch scratch;
  REQUIRE(write_file(scratch.cache(), "a file"));
  const auto output = scratch.tare({"arms", "install", "python-forwarder"}, fixtures);
  CHECK(output.status.code == 1);
  CHECK_THAT(output.err, Contains(scratch.cache().string()));
}

TEST_CASE("a forward proxy is asked with absolute-form targets, under a name that only it knows") {
  if (::geteuid() != 0) {
    WARN("not checked: private host names need root");
    return;
  }
  const Scratch scratch;
  const auto hosts = read_file("/etc/hosts");
  const auto checked = scratch.tare({"arms", "check", "python-forward-proxy"}, fixtures);
  CAPTURE(checked.out, checked.err);
  CHECK(checked.status.ok());
  CHECK_THAT(checked.out, Contains("forwarded, chat\n") && Contains("stream         ok"));
  CHECK(read_file("/etc/hosts").value() == hosts.value());
}

TEST_CASE("what an arm took out is asked for while it is up, and kept") {
  if (::geteuid() != 0) {
    WARN("not checked: private host names need root");
    return;
  }
  const Scratch scratch;
  REQUIRE(scratch.tare({"arms", "install", "python-forward-proxy"}, fixtures).status.ok());
  const auto plan = scratch.home() / "plan.json";
  REQUIRE(write_file(plan, R"({"name": "p", "title": "P", "protocol": "published", "rounds": 1,
    "arms": ["python-forward-proxy"], "warmups": 0, "requests": 1,
    "groups": [{"task": "logs", "mode": "unique"}, {"task": "logs@chat", "mode": "unique"}]})"));
  const auto folder = scratch.home() / "run";
  const auto run = scratch.tare({"run", plan.string(), "--out", folder.string()}, fixtures);
  CAPTURE(run.out, run.err);
  CHECK_THAT(run.out, Contains("1 of 1 measured requests, 0 failed"));
  CHECK_THAT(read_file(folder / "events.jsonl").value(), Contains("route_not_supported"));
  const auto rows = zstd_read_file(folder / "retrieved.jsonl.zst");
  REQUIRE(rows);
  const auto original = sha256_hex(harness::make_body(harness::Task::logs, 0).output);
  CHECK_THAT(rows->bytes, Contains("\"marker\":\"[taken out: " + original.substr(0, 12) + "]\"") &&
                              Contains("\"sha256\":\"" + original + "\"") &&
                              Contains("\"status\":200") && EndsWith("\"error\":null}\n"));
  CHECK(fs::exists(folder / "bodies" / original.substr(0, 2) / (original + ".zst")));
}

TEST_CASE("an expensive arm is installed only when asked for by its name") {
  const Scratch scratch;
  const auto folder = scratch.home() / "arms" / "dear";
  REQUIRE(make_directories(folder));
  REQUIRE(write_file(folder / "install.sh", "#!/bin/sh\necho '{}'\n"));
  fs::permissions(folder / "install.sh", fs::perms::owner_all);
  REQUIRE(write_file(folder / "arm.json", R"({
    "name": "dear", "title": "dear", "kind": "forwarder", "licence": "MIT", "install": "install.sh",
    "expensive": true, "command": ["x"], "ready": {"tcp": true}, "base_url": "http://127.0.0.1:{port}",
    "routes": {"responses": "/r"}, "claims": {"lossless": true}})"));
  const auto unasked =
      scratch.tare({"arms", "install", "dear", "--unless-expensive"}, scratch.home());
  CHECK(unasked.status.code == 3);
  CHECK_THAT(unasked.err, Contains("dear: expensive") && Contains("tare arms install dear"));
  CHECK(scratch.tare({"arms", "check", "dear"}, scratch.home()).status.code == 3);
  CHECK(scratch.tare({"arms", "install", "dear"}, scratch.home()).status.ok());
  CHECK(
      scratch.tare({"arms", "install", "dear", "--unless-expensive"}, scratch.home()).status.ok());
}
