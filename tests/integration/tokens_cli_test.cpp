// tare tokens as it is typed.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "common/files.h"
#include "common/subprocess.h"
#include "tests/support/temporary_folder.h"

using Catch::Matchers::Contains;
using tare::test::TemporaryFolder;

namespace {

// `ranks`: in place of those that are installed here.
tare::Output tare_tokens(std::vector<std::string> words, const std::string& input,
                         const std::optional<std::filesystem::path>& ranks = std::nullopt) {
  tare::SubprocessOptions options;
  if (ranks) options.environment = {"PATH=/usr/bin:/bin", "TARE_TOKEN_RANKS=" + ranks->string()};
  options.argv = {TARE_BIN_DIR "/tare", "tokens"};
  options.argv.insert(options.argv.end(), words.begin(), words.end());
  auto output = tare::run_to_end(options, input, std::chrono::seconds(60));
  REQUIRE(output.has_value());
  return std::move(*output);
}

}  // namespace

TEST_CASE("known texts have their o200k_base counts") {
  if (tare_tokens({"count"}, "").status.code == 3) {
    WARN("not checked: no token ranks are installed here (type: tare tokens install)");
    return;
  }
  const auto table = nlohmann::json::parse(
      tare::read_file(TARE_SOURCE_DIR "/tests/golden/token_counts.json").value());
  REQUIRE(table.size() > 40);
  const TemporaryFolder folder;
  std::vector<std::string> words{"count"};
  std::string expected;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto file = folder / std::to_string(i);
    REQUIRE(tare::write_file(file, table[i]["text"].get<std::string>()));
    words.push_back(file.string());
    expected += table[i]["tokens"].dump() + "\t" + file.string() + "\n";
  }
  const auto counted = tare_tokens(words, "");
  CHECK(counted.status.ok());
  CHECK(counted.out == expected);
  CHECK(tare_tokens({"count"}, "hello world").out == "2\n");
}

TEST_CASE("without ranks tokens are not counted, and the message says what to type") {
  const TemporaryFolder folder;
  const auto counted = tare_tokens({"count"}, "hello", folder / "absent");
  CHECK(counted.status.code == 3);
  CHECK_THAT(counted.err, Contains("no token ranks here") && Contains("tare tokens install"));
}

TEST_CASE("a file that holds other ranks is not installed") {
  const TemporaryFolder folder;
  REQUIRE(tare::write_file(folder / "other", "YQ== 0\n"));
  const auto installed =
      tare_tokens({"install", "--from", (folder / "other").string()}, "", folder / "ranks");
  CHECK(installed.status.code == 1);
  CHECK_THAT(installed.err, Contains("not the ranks of o200k_base"));
  CHECK_FALSE(std::filesystem::exists(folder / "ranks"));
}
