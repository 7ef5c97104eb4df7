// The dose arm of tare selftest: what it reports is what it did.
#include <signal.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/files.h"
#include "common/subprocess.h"
#include "harness/client.h"
#include "harness/upstream.h"
#include "tests/support/temporary_folder.h"

using namespace tare;
using namespace std::chrono_literals;

namespace {

constexpr int requests = 20;

// What the arm says after that many requests with this dose.
nlohmann::json report_of(const std::vector<std::string>& dose) {
  const test::TemporaryFolder folder;
  const auto upstream = harness::start_upstream(system_clock());
  REQUIRE(upstream);
  SubprocessOptions options;
  options.argv = {TARE_BIN_DIR "/tare-dose", "--upstream", (*upstream)->url()};
  options.argv.insert(options.argv.end(), dose.begin(), dose.end());
  options.stdout_file = folder / "out";
  auto arm = Subprocess::start(options);
  REQUIRE(arm);
  std::string url;
  while (url.find('\n') == std::string::npos) {
    REQUIRE(!arm->wait(10ms));  // it is at work
    url = read_file(folder / "out").value_or("");
  }
  url.pop_back();
  const std::atomic<int> never = 0;
  const auto client = harness::make_client(system_clock(), never);
  for (int i = 0; i < requests; ++i) {
    REQUIRE(client->post(url + "/v1/responses", "{}", 60).status == 200);
  }
  CHECK(arm->stop(30s).ok());
  const auto text = read_file(folder / "out").value_or("");
  return nlohmann::json::parse(text.substr(text.find('\n')));
}

}  // namespace

TEST_CASE("a dose of CPU is reported beyond what a copy without a dose reports") {
  const auto without = report_of({});
  const auto burnt = report_of({"--cpu-us", "2000"});
  CHECK(without["requests"] == requests);
  CHECK(burnt["requests"] == requests);
  // Both read their clock: the cost of that is in both figures.
  CHECK(without["cpu_ns"] > 0);
  const auto more_ns = burnt["cpu_ns"].get<std::int64_t>() - without["cpu_ns"].get<std::int64_t>();
  CHECK(more_ns > requests * 1'000'000);
}
