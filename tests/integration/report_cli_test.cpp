// tare report and tare verify as they are typed.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "common/files.h"
#include "common/subprocess.h"
#include "tests/support/run_folder.h"
#include "tests/support/temporary_folder.h"

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using tare::test::RunFolder;
using tare::test::TemporaryFolder;

namespace {

tare::Output tare_command(std::vector<std::string> words) {
  tare::SubprocessOptions options;
  options.argv = {TARE_BIN_DIR "/tare"};
  options.argv.insert(options.argv.end(), words.begin(), words.end());
  auto output = tare::run_to_end(options, "", std::chrono::seconds(60));
  REQUIRE(output.has_value());
  return std::move(*output);
}

const std::string published = TARE_SOURCE_DIR "/data/published";

}  // namespace

TEST_CASE("tare report writes the same bytes to stdout and to a file, wherever the folder stands") {
  RunFolder folder;
  folder.write();
  TemporaryFolder other;
  const auto copy = other / "copy";
  std::filesystem::copy(folder.path(), copy, std::filesystem::copy_options::recursive);
  const auto once = tare_command({"report", folder.path(), "--against", published});
  CHECK(once.status.code == 0);
  CHECK_THAT(once.out, StartsWith("# A plan of a test\n") && Contains("### Claim by claim"));
  const auto file = (other / "report.md").string();
  const auto again =
      tare_command({"report", copy, "--against", published, "--output", file, "--format=markdown"});
  CHECK(again.status.code == 0);
  CHECK(again.out.empty());
  CHECK(tare::read_file(file).value() == once.out);
}

TEST_CASE("tare report names what is wrong with its words, in one line, and how to better it") {
  TemporaryFolder folder;
  RunFolder run;
  run.write();
  const auto nowhere = (folder / "no" / "file").string();
  struct Case {
    std::vector<std::string> words;
    int code;
    std::string message;
  };
  const std::vector<Case> cases{
      {{"report", folder.path()}, 2, "not a run folder"},
      {{"report", nowhere}, 2, "no such folder"},
      {{"report", run.path() / "run.json"}, 2, "it is a file, not a run folder"},
      {{"compare", run.path(), nowhere}, 2, "no such folder"},
      {{"compare", run.path(), run.path(), "--subject", "nobody"}, 2, "has no arm \"nobody\""},
      {{"compare", run.path(), run.path(), "--fail-on", "better"}, 2, "--fail-on"},
      {{"report", run.path(), "--format", "pdf"}, 2, "--format"},
      {{"report", run.path(), "--against", nowhere}, 2, "no such file or folder"},
      {{"report", run.path(), "--output", nowhere}, 1, "choose another file with --output"},
      {{"report", run.path(), "--output", "/dev/full"}, 1, "No space left on device"},
      {{"verify", run.path(), "--decoder", "tare"}, 2, "expected ARM=COMMAND"},
      {{"verify", run.path(), "--decoder", "nobody=cat"}, 2, "nobody"},
  };
  for (const auto& one : cases) {
    const auto output = tare_command(one.words);
    CHECK(output.status.code == one.code);
    CHECK_THAT(output.err, Contains(one.message));
    CHECK(output.out.empty());
  }
}

TEST_CASE("tare verify and compare tell of damage by their exit code too") {
  RunFolder folder;
  folder.write();
  REQUIRE(tare_command({"verify", folder.path()}).status.code == 0);
  const std::vector<std::string> gate{"compare", folder.path(), folder.path(), "--fail-on",
                                      "worse"};
  REQUIRE(tare_command(gate).status.code == 0);
  const auto scores = folder.path() / "scores.jsonl";
  REQUIRE(tare::write_file(scores, tare::read_file(scores).value() + "{}\n").has_value());
  const auto mended = tare_command({"verify", folder.path()});
  CHECK(mended.status.code == 0);
  CHECK_THAT(mended.out, Contains("- was damaged: scores.jsonl, line "));
  const auto events = folder.path() / "events.jsonl";
  REQUIRE(tare::write_file(events, "garbage\n").has_value());
  const auto damaged = tare_command({"verify", folder.path()});
  CHECK(damaged.status.code == 1);
  CHECK_THAT(damaged.out, Contains("- damaged: events.jsonl, line 1: "));
  const auto compared = tare_command(gate);
  CHECK(compared.status.code == 1);
  CHECK_THAT(compared.out, Contains("BASE: events.jsonl, line 1: "));
  CHECK_THAT(compared.err, Contains("nothing is known to be no worse"));
}

TEST_CASE("tare verify says how many originals came back, and a report reads it") {
  RunFolder folder;
  folder.write();
  const auto good = tare_command({"verify", folder.path()});
  CHECK(good.status.code == 0);
  CHECK_THAT(good.out, StartsWith("5 forwarded bodies of arms with a decoder: 5 gave each"));
  CHECK_THAT(tare_command({"report", folder.path()}).out, Contains("| 5 of 5 | 5 of 5 | 5 of 5 |"));
  const auto bad = tare_command({"verify", folder.path(), "--decoder", "tare=cat"});
  CHECK(bad.status.code == 1);
  CHECK_THAT(bad.out, Contains("5 did not"));
  CHECK_THAT(tare_command({"report", folder.path()}).out, Contains("| 5 of 5 | 5 of 5 | 0 of 5 |"));
}
