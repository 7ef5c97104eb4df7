// Arms that misbehave in a run: it ends, the other arms are measured, and the report says what
// happened.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "common/files.h"
#include "common/subprocess.h"
#include "run_home.h"

using Catch::Matchers::Contains;
using tare::test::Home;

namespace {

struct Case {
  std::string fault;
  std::string reason;  // of the run's incompleteness; empty: it is complete
};

}  // namespace

TEST_CASE("an arm that misbehaves ends its own start only, and the report says how") {
  const auto one = GENERATE(values<Case>({
      {"closes", "failed: Failed to connect"},
      {"moves", "failed: Failed to connect"},
      {"leaves", "leaked: left 1 processes behind"},
      {"mixes", "failed: the reply is not byte for byte the upstream's"},
      {"never-ends", "failed: a reply of more than 64 MB"},
      {"ignores-sigterm", "leaked: left 1 processes behind"},
      {"eats-descriptors", "failed: Empty reply"},
      {"chatters", ""},
  }));
  CAPTURE(one.fault);
  const Home home;
  home.write_arm("rogue",
                 {"python3", "-u", TARE_SOURCE_DIR "/tests/fixtures/rogue_forwarder.py", one.fault,
                  "{port}", "{upstream_address}"},
                 {{"stdout_line", true}, {"within_s", 60}});
  home.write_plan({"rogue", "direct"});
  const auto output = home.tare_run();
  CHECK(output.status.code == (one.reason.empty() ? 0 : 1));
  const auto run = nlohmann::json::parse(tare::read_file(home.run() / "run.json").value());
  CHECK(run["state"] == (one.reason.empty() ? "complete" : "incomplete"));
  CHECK(run["totals"]["measured"] >= 6);  // those of direct
  tare::SubprocessOptions options;
  options.argv = {TARE_BIN_DIR "/tare", "--home", TARE_SOURCE_DIR, "report", home.run()};
  const auto report = tare::run_to_end(options, "", std::chrono::seconds(60));
  REQUIRE(report);
  CHECK(report->status.code == 0);
  if (one.reason.empty()) return;
  CHECK_THAT(output.err, Contains("incomplete: arm rogue, round 1: " + one.reason));
  CHECK_THAT(report->out, Contains("arm rogue, round 1: " + one.reason));
}
