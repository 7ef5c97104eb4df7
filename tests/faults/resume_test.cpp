// A run that is cut off in any way goes on behind its last whole round: real programs, killed at
// random points. TARE_FAULT_RUNS says how many (8 when it is not set), TARE_FAULT_SEED which
// points.
#include <fmt/format.h>
#include <signal.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>

#include "common/files.h"
#include "common/subprocess.h"
#include "common/zstd_stream.h"
#include "harness/process_tree.h"
#include "harness/schedule.h"
#include "tests/support/temporary_folder.h"

using namespace tare;
using namespace std::chrono_literals;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

std::vector<Json> rows(const fs::path& file) {
  std::vector<Json> all;
  std::error_code e;
  if (!fs::exists(file, e)) return all;
  const auto content = zstd_read_file(file);
  REQUIRE(content);
  std::istringstream in(content->bytes);
  for (std::string line; std::getline(in, line);) all.push_back(Json::parse(line));
  return all;
}

// A small published plan of our own arms: its rounds are never discarded, whatever runs beside.
class Scene {
 public:
  static constexpr int rounds = 4;

  Scene() {
    const Json plan{{"name", "cut"},
                    {"title", "cut"},
                    {"protocol", "published"},
                    {"rounds", rounds},
                    {"arms", {"direct", "control"}},
                    {"groups", {{{"task", "logs"}, {"mode", "unique"}}}},
                    {"warmups", 1},
                    {"requests", 150}};
    std::ofstream(folder_.path() / "cut.json") << plan.dump();
  }

  fs::path run() const { return folder_.path() / "run"; }

  // `fault`: "NAME=VALUE" of tests/support/faults.cpp; empty: none.
  SubprocessOptions options(bool resume, std::size_t max_file_bytes = 0,
                            const std::string& fault = "") const {
    SubprocessOptions options;
    options.argv = {TARE_BIN_DIR "/tare-with-faults", "--home", TARE_SOURCE_DIR, "run"};
    if (resume) {
      options.argv.insert(options.argv.end(), {"--resume", run().string()});
    } else {
      options.argv.insert(options.argv.end(),
                          {(folder_.path() / "cut.json").string(), "--out", run().string()});
    }
    options.stderr_file = folder_.path() / "err";
    options.max_file_bytes = max_file_bytes;
    const char* path = std::getenv("PATH");
    options.environment = {"PATH=" + std::string(path != nullptr ? path : "/usr/bin:/bin")};
    if (!fault.empty()) options.environment->push_back(fault);
    return options;
  }

  std::string said() const { return read_file(folder_.path() / "err").value_or(""); }

 private:
  test::TemporaryFolder folder_;
};

// The rounds were all there when the fault came: nothing is left to go on with.
bool is_complete(const Scene& scene) {
  const auto text = read_file(scene.run() / "run.json");
  return text && Json::parse(*text)["state"] == "complete";
}

enum class Fault { harness, arm, file_limit, upstream, clock_step };
constexpr int fault_kinds = 5;
constexpr std::int64_t step_ms = 3'600'000;

// Ends the program of itself or lets it go on; nothing is done to it from outside.
std::string own_fault(Fault fault, harness::Random& random) {
  const auto after_ms = 20 + random.below(1'200);
  if (fault == Fault::upstream) return fmt::format("TARE_FAULT_UPSTREAM_MS={}", after_ms);
  if (fault == Fault::clock_step) {
    return fmt::format("TARE_FAULT_CLOCK_STEP_MS={},{}{}", after_ms,
                       random.below(2) == 0 ? "-" : "", step_ms);
  }
  return "";
}

// Starts or resumes the run and does the fault to it after a while; whether the run is complete.
bool run_with_fault(const Scene& scene, bool resume, Fault fault, harness::Random& random) {
  const auto limit = fault == Fault::file_limit ? 3'000 + random.below(40'000) : 0;
  const auto own = own_fault(fault, random);
  auto process = Subprocess::start(scene.options(resume, limit, own));
  REQUIRE(process);
  const auto after = std::chrono::milliseconds(20 + random.below(1'200));
  if (fault == Fault::file_limit || !own.empty() || process->wait(after)) {
    const auto end = process->wait(120s);
    REQUIRE(end);
    return end->code == 0 || is_complete(scene);
  }
  if (fault == Fault::harness) {
    process->signal(SIGKILL);
  } else {
    for (const auto pid : harness::descendants(process->pid())) {
      std::error_code e;
      const auto program = fs::read_symlink(fmt::format("/proc/{}/exe", pid), e);
      if (program.filename() == "tare-proxy") ::kill(pid, SIGKILL);
    }
  }
  const auto end = process->wait(120s);
  REQUIRE(end);
  return end->code == 0 || is_complete(scene);
}

// Every number is given once, every whole round has all its rows, and the gap is told.
void check_whole(const Scene& scene, int cuts) {
  const auto text = read_file(scene.run() / "run.json");
  REQUIRE(text);
  std::set<int> round_numbers;
  std::map<int, int> starts_in;
  std::set<int> start_numbers;
  for (const Json& row : rows(scene.run() / "starts.jsonl.zst")) {
    CHECK(start_numbers.insert(row["start"].get<int>()).second);
    ++starts_in[row["round"].get<int>()];
  }
  int whole = 0;
  std::set<int> stepped;
  for (const Json& row : rows(scene.run() / "rounds.jsonl.zst")) {
    const int round = row["round"];
    CHECK(round_numbers.insert(round).second);
    CHECK(starts_in[round] == 2);
    if (std::abs(row["clock_step_ns"].get<double>()) > step_ms * 1e6 / 2) stepped.insert(round);
    ++whole;
  }
  CHECK(whole == Scene::rounds);
  std::set<std::int64_t> requests;
  std::map<int, int> requests_in;
  std::set<std::string> bodies;
  for (const Json& row : rows(scene.run() / "requests.jsonl.zst")) {
    CHECK(requests.insert(row["request"].get<std::int64_t>()).second);
    ++requests_in[row["start"].get<int>()];
    bodies.insert(row["sent_sha256"].get<std::string>());
  }
  std::set<std::int64_t> receipts;
  for (const Json& row : rows(scene.run() / "upstream.jsonl.zst")) {
    CHECK(receipts.insert(row["upstream_request"].get<std::int64_t>()).second);
  }
  for (const auto& sha256 : bodies) {
    const auto body =
        zstd_read_file(scene.run() / "bodies" / sha256.substr(0, 2) / (sha256 + ".zst"));
    REQUIRE(body);
    CHECK(body->damage.empty());
  }
  int resumed = 0;
  std::set<int> stepped_said;
  std::istringstream events(read_file(scene.run() / "events.jsonl").value_or(""));
  for (std::string line; std::getline(events, line);) {
    const Json event = Json::parse(line);
    resumed += event["kind"] == "resumed" ? 1 : 0;
    if (event["kind"] == "clock_step") stepped_said.insert(event["round"].get<int>());
  }
  CHECK(stepped_said == stepped);
  CHECK(resumed <= cuts);
  CHECK((cuts == 0 || resumed > 0));
}

}  // namespace

TEST_CASE("a run cut off at random points goes on, with no row lost, doubled or unsaid") {
  const auto runs = number_from("TARE_FAULT_RUNS", 8);
  harness::Random random(number_from("TARE_FAULT_SEED", 1));
  for (std::uint64_t number = 0; number < runs; ++number) {
    const Scene scene;
    const auto fault = static_cast<Fault>(number % fault_kinds);
    CAPTURE(number, static_cast<int>(fault));
    int cuts = 0;
    bool done = run_with_fault(scene, false, fault, random);
    // A second cut, of the run that goes on.
    if (!done && fs::exists(scene.run() / "run.json")) {
      ++cuts;
      done = run_with_fault(scene, true, fault == Fault::arm ? Fault::harness : fault, random);
    }
    std::error_code e;
    if (!fs::exists(scene.run() / "run.json", e)) {
      // Cut before the folder said anything: there is nothing to go on with.
      fs::remove_all(scene.run(), e);
      auto again = Subprocess::start(scene.options(false));
      REQUIRE(again);
      REQUIRE(again->wait(120s)->code == 0);
      check_whole(scene, 0);
      continue;
    }
    if (!done) {
      ++cuts;
      auto last = Subprocess::start(scene.options(true));
      REQUIRE(last);
      const auto end = last->wait(120s);
      REQUIRE(end);
      CAPTURE(scene.said());
      // A killed arm is a result of its round: that run ends incomplete, and says why.
      CHECK((end->code == 0 || fault == Fault::arm));
    }
    check_whole(scene, cuts);
  }
}

TEST_CASE("a run does not go on with other arms, another plan, or where there is none") {
  const Scene scene;
  const auto refused = [&] {
    SubprocessOptions options = scene.options(true);
    const auto output = run_to_end(options, "", 60s);
    REQUIRE(output);
    return *output;
  };
  CHECK(refused().status.code == 2);
  auto process = Subprocess::start(scene.options(false));
  REQUIRE(process);
  while (rows(scene.run() / "rounds.jsonl.zst").empty()) {
    REQUIRE(!process->wait(10ms));  // it is at work
  }
  process->signal(SIGKILL);
  REQUIRE(process->wait(60s));
  const auto file = scene.run() / "run.json";
  const Json run = Json::parse(*read_file(file));
  REQUIRE(run["state"] != "complete");
  Json other = run;
  other["arms"][1]["identity"] = {{"version", "another"}};
  REQUIRE(write_file(file, other.dump()));
  CHECK(refused().status.code == 2);
  other = run;
  other["plan"]["seed"] = 99;
  REQUIRE(write_file(file, other.dump()));
  CHECK(refused().status.code == 1);
  REQUIRE(write_file(file, run.dump()));
  CHECK(refused().status.code == 0);
}
