// tare ask as it is typed, with a scripted upstream in the provider's place.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>
#include <vector>

#include "common/clock.h"
#include "common/files.h"
#include "common/subprocess.h"
#include "harness/upstream.h"
#include "tests/support/run_folder.h"

using Catch::Matchers::Contains;
using tare::test::RunFolder;

namespace {

constexpr const char* key = "sk-test-0f3a9c-secret";

tare::Output tare_ask(const RunFolder& folder, const std::string& upstream,
                      std::vector<std::string> more) {
  ::setenv("TARE_TEST_KEY", key, 1);
  tare::SubprocessOptions options;
  options.argv = {TARE_BIN_DIR "/tare",
                  "ask",
                  folder.path().string(),
                  "--upstream",
                  upstream,
                  "--model",
                  "a-model",
                  "--key-env",
                  "TARE_TEST_KEY",
                  "--arms",
                  "tare"};
  options.argv.insert(options.argv.end(), more.begin(), more.end());
  auto output = tare::run_to_end(options, "", std::chrono::seconds(60));
  REQUIRE(output.has_value());
  CHECK_THAT(output->out + output->err, !Contains(key));
  return std::move(*output);
}

}  // namespace

TEST_CASE("nothing is sent before the cost is confirmed") {
  RunFolder folder;
  folder.write();
  auto upstream = tare::harness::start_upstream(tare::system_clock());
  REQUIRE(upstream);
  const auto output = tare_ask(folder, (*upstream)->url(), {});
  CHECK(output.status.ok());
  CHECK_THAT(output.out, Contains("3 questions for a-model") && Contains("prompt tokens") &&
                             Contains("nothing was sent"));
  CHECK((*upstream)->take().empty());
  CHECK_FALSE(std::filesystem::exists(folder.path() / "answers.jsonl"));
}

TEST_CASE("questions are sent and answers scored, and the key is written nowhere") {
  RunFolder folder;
  folder.write();
  auto upstream = tare::harness::start_upstream(tare::system_clock());
  REQUIRE(upstream);
  const auto output = tare_ask(folder, (*upstream)->url(), {"--confirm-cost"});
  CHECK(output.status.ok());
  CHECK_THAT(output.out, Contains("| logs | tare | 3 | 0 | 0 | 3 | 0 |"));
  const auto received = (*upstream)->take();
  REQUIRE(received.size() == 3);
  CHECK(received[0].path == "/v1/responses");
  CHECK_THAT(received[0].body, Contains("write error line exactly") && Contains("<hb> 1"));
  const auto lines = tare::read_file(folder.path() / "answers.jsonl");
  REQUIRE(lines);
  CHECK_THAT(*lines, Contains(R"("score":"wrong")") && !Contains(key));
}

TEST_CASE("a provider that cannot be reached is told, and a key never goes out in clear text") {
  RunFolder folder;
  folder.write();
  const auto gone = tare_ask(folder, "http://127.0.0.1:1", {"--confirm-cost"});
  CHECK(gone.status.code == 1);
  CHECK_THAT(gone.out, Contains("| logs | tare | 3 | 0 | 0 | 0 | 3 |"));
  CHECK(tare_ask(folder, "http://provider.example", {"--confirm-cost"}).status.code == 2);
  CHECK(tare_ask(folder, "http://127.0.0.1.example", {"--confirm-cost"}).status.code == 2);
}
