// tare corpus as it is typed.
#include <signal.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/files.h"
#include "common/subprocess.h"
#include "tests/support/processes.h"
#include "tests/support/temporary_folder.h"

using Catch::Matchers::Contains;
using tare::test::TemporaryFolder;

namespace {

tare::Output tare_corpus(std::vector<std::string> words, const std::string& command = "score") {
  tare::SubprocessOptions options;
  options.argv = {TARE_BIN_DIR "/tare", "corpus", command};
  options.argv.insert(options.argv.end(), words.begin(), words.end());
  auto output = tare::run_to_end(options, "", std::chrono::seconds(60));
  REQUIRE(output.has_value());
  return std::move(*output);
}

std::string log_text() {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "INFO worker-" + std::to_string(i) + " is healthy\n";
  return text + "ERROR request_0f3a was lost\n";
}

}  // namespace

TEST_CASE("our own proxy is scored when no other compactor is named, and is exact") {
  const TemporaryFolder folder;
  REQUIRE(tare::make_directories(folder / "log"));
  REQUIRE(tare::write_file(folder / "log" / "a.txt", log_text()));
  REQUIRE(tare::write_file(folder / "own.txt", "\xFF\xFE not UTF-8\n"));
  const auto table = tare_corpus({folder.path()});
  CHECK(table.status.code == 0);
  CHECK_THAT(table.out, Contains("tare-proxy compact; tokens: ") && Contains("| log | 1 |") &&
                            Contains("| (none) | 1 |") && Contains("| 2 of 2 |"));
  const auto file = (folder / "score.json").string();
  const auto again = tare_corpus({folder.path(), "--format=json", "--output", file});
  CHECK(again.status.code == 0);
  CHECK(again.out.empty());
  const auto json = nlohmann::json::parse(tare::read_file(file).value());
  CHECK(json["classes"]["log"]["tokens_share"] < 0.3);
  CHECK(json["files"][0]["literals_kept"] == 1);
  CHECK(json["files"][0]["exact"] == true);
}

TEST_CASE("another compactor is scored by its command") {
  const TemporaryFolder folder;
  REQUIRE(tare::write_file(folder / "a.txt", log_text()));
  const auto lossy = tare_corpus({folder.path(), "--command", "head -n 10"});
  CHECK(lossy.status.code == 0);
  CHECK_THAT(lossy.out, Contains("head -n 10; tokens") && Contains("| – |"));
  const auto inexact = tare_corpus({folder.path(), "--command", "head -n 10", "--decoder", "cat"});
  CHECK(inexact.status.code == 1);
  CHECK_THAT(inexact.out, Contains("- a.txt: the decoder gave back another text"));
}

TEST_CASE("a score that is stopped leaves no process of its compactors, nor their files") {
  const TemporaryFolder folder;
  for (const char* name : {"outputs", "tmp"}) REQUIRE(tare::make_directories(folder / name));
  for (const char* name : {"a.txt", "b.txt"}) {
    REQUIRE(tare::write_file(folder / "outputs" / name, log_text()));
  }
  const auto script = folder / "compactor";
  REQUIRE(tare::write_file(script,
                           "cd \"$1\"\nsleep 1000 &\necho $! > part.$$\n"
                           "mv part.$$ pid.$$\nwait\n"));
  tare::SubprocessOptions options;
  options.argv = {TARE_BIN_DIR "/tare",
                  "corpus",
                  "score",
                  folder / "outputs",
                  "--jobs",
                  "2",
                  "--command",
                  "/bin/sh " + script.string() + " " + folder.path().string()};
  options.environment = {"PATH=/usr/bin:/bin", "TMPDIR=" + (folder / "tmp").string()};
  auto score = tare::Subprocess::start(options);
  REQUIRE(score);
  std::vector<pid_t> sleepers;
  while (sleepers.size() < 2 && !score->wait(std::chrono::milliseconds(10))) {
    sleepers.clear();
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
      if (!entry.path().filename().string().starts_with("pid.")) continue;
      sleepers.push_back(std::stoi(tare::read_file(entry.path()).value()));
    }
  }
  REQUIRE(sleepers.size() == 2);
  score->signal(SIGTERM);
  const auto status = score->wait(std::chrono::seconds(60));
  REQUIRE(status);
  CHECK(status->signal == SIGTERM);
  for (const pid_t sleeper : sleepers) CHECK(tare::test::goes_away(sleeper));
  CHECK(std::filesystem::is_empty(folder / "tmp"));
}

TEST_CASE("wrong words to tare corpus score are named") {
  const TemporaryFolder folder;
  const auto empty = tare_corpus({folder.path()});
  CHECK(empty.status.code == 2);
  CHECK_THAT(empty.err, Contains("no files in it"));
  CHECK(tare_corpus({folder / "absent"}).status.code == 2);
  CHECK(tare_corpus({folder.path(), "--level", "most"}).status.code == 2);
  CHECK(tare_corpus({folder.path(), "--level", "full", "--command", "cat"}).status.code == 2);
  CHECK(tare_corpus({folder.path(), "--decoder", "cat"}).status.code == 2);
  for (const char* nothing : {"", "  "}) {
    const auto none = tare_corpus({folder.path(), "--command", nothing});
    CHECK(none.status.code == 2);
    CHECK_THAT(none.err, Contains("--command: expected a command, found none"));
    CHECK(tare_corpus({folder.path(), "--command", "cat", "--decoder", nothing}).status.code == 2);
  }
  REQUIRE(tare::write_file(folder / "a.txt", "text\n"));
  const auto missing = tare_corpus({folder.path(), "--command", "/nowhere/compactor"});
  CHECK(missing.status.code == 3);
  CHECK_THAT(missing.err, Contains("/nowhere/compactor: no such program"));
}

TEST_CASE("conversations are made of a folder's outputs, and scored with and without references") {
  const TemporaryFolder folder;
  REQUIRE(tare::write_file(folder / "a.txt", log_text()));
  REQUIRE(tare::write_file(folder / "b.txt", "some words\n" + log_text()));
  const std::string path = folder.path();
  const auto shorter = tare_corpus({path, "--turns=3", "--seed=9"}, "conversation");
  CHECK(shorter.status.code == 0);
  const auto longer = tare_corpus({path, "--turns=10", "--seed=9"}, "conversation");
  CHECK(longer.out.starts_with(shorter.out.substr(0, shorter.out.size() - 2)));
  CHECK(nlohmann::json::accept(longer.out));
  const auto chat = tare_corpus({path, "--format=chat"}, "conversation");
  CHECK(nlohmann::json::parse(chat.out).contains("messages"));

  const auto scored =
      tare_corpus({path, "--turns=5,10", "--seeds=2", "--format=messages"}, "score-conversations");
  CHECK(scored.status.code == 0);
  CHECK_THAT(scored.out,
             Contains("| 5 | 2 | 10 |") && Contains("| 10 | 2 | 20 |") && Contains("| 2 of 2 |"));
  CHECK(tare_corpus({path, "--turns=0"}, "score-conversations").status.code == 2);
}
