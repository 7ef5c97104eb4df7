#include "analysis/corpus_score.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "analysis/corpus_report.h"
#include "common/files.h"
#include "tests/support/temporary_folder.h"

using namespace tare::analysis;
using Catch::Matchers::Contains;
using tare::Error;
using tare::test::TemporaryFolder;
using Command = std::vector<std::string>;

namespace {

void write(const TemporaryFolder& folder, const std::string& name, std::string_view text) {
  const auto path = folder / name;
  REQUIRE(tare::make_directories(path.parent_path()));
  REQUIRE(tare::write_file(path, text));
}

ScoreOptions with(Command command, Command decoder = {}) {
  ScoreOptions options;
  options.command = std::move(command);
  options.decoder = std::move(decoder);
  return options;
}

// Every byte is a token.
Tokenizer byte_tokens() {
  return Tokenizer(O200k::parse("YQ== 0\n", "bytes").value());
}

CorpusScore scored(const TemporaryFolder& folder, const ScoreOptions& options) {
  auto score = score_corpus(folder.path(), options, byte_tokens());
  REQUIRE(score);
  return std::move(*score);
}

const FileScore& only(const CorpusScore& score) {
  REQUIRE(score.files.size() == 1);
  return score.files.front();
}

}  // namespace

TEST_CASE("a corpus is the regular files below a folder, by class") {
  const TemporaryFolder folder;
  write(folder, "log/b.txt", "x");
  write(folder, "log/deep/a.txt", "x");
  write(folder, "top.txt", "x");
  write(folder, "index.tsv", "x");
  write(folder, "log/index.tsv", "x");
  write(folder, ".git/config", "x");
  write(folder, "log/.hidden", "x");
  std::filesystem::create_symlink("/nowhere", folder / "dangling");
  const auto files = list_corpus(folder.path());
  REQUIRE(files);
  std::vector<std::string> found;
  for (const auto& file : *files) found.push_back(file.name + " in " + file.class_name);
  CHECK(found == std::vector<std::string>{"log/b.txt in log", "log/deep/a.txt in log",
                                          "log/index.tsv in log", "top.txt in "});
}

TEST_CASE("a folder that is not there, or has no file, is wrong usage") {
  const TemporaryFolder folder;
  const auto empty = list_corpus(folder.path());
  REQUIRE_FALSE(empty);
  CHECK(empty.error().code == Error::Code::usage);
  CHECK_THAT(empty.error().message, Contains("no files in it"));
  const auto absent = list_corpus(folder / "absent");
  REQUIRE_FALSE(absent);
  CHECK_THAT(absent.error().message, Contains("no such folder"));
}

TEST_CASE("what is kept is summed by class and in all") {
  const TemporaryFolder folder;
  write(folder, "log/a", "one\ntwo file_1\nthree\n");  // 21 bytes
  write(folder, "log/b", "one\ntwo\n");                // 8
  write(folder, "test/c", "one\n");                    // 4
  const auto score = scored(folder, with({"head", "-n", "1"}));
  const auto classes = score.classes();
  REQUIRE(classes.size() == 2);
  CHECK(classes[0].first == "log");
  CHECK(classes[0].second.bytes == 29);
  CHECK(classes[0].second.bytes_kept == 8);
  CHECK(classes[0].second.tokens_kept == 8);
  CHECK(classes[0].second.said.lines == Standing{5, 2, 0, 0, 3});
  CHECK(classes[0].second.said.literals == Standing{1, 0, 0, 0, 1});
  CHECK(score.all().files == 3);
  CHECK(score.all().bytes_kept == 12);
  CHECK(score.findings().empty());
  const auto worst = score.worst(2);
  REQUIRE(worst.size() == 2);
  CHECK(worst[0]->file.name == "test/c");
  CHECK(worst[1]->file.name == "log/b");
  CHECK(corpus_markdown(score, 1) == R"(head -n 1; tokens: o200k_base

| class | files | bytes | kept % | tokens | kept % | lines kept % | derivable % | lost % | literals kept % | lost % | false lines | exact |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|
| log | 2 | 29 | 27.6 | 29 | 27.6 | 40.0 | 0.0 | 60.0 | 0.0 | 100.0 | 0 | – |
| test | 1 | 4 | 100.0 | 4 | 100.0 | 100.0 | 0.0 | 0.0 | – | – | 0 | – |
| all | 3 | 33 | 36.4 | 33 | 36.4 | 50.0 | 0.0 | 50.0 | 0.0 | 100.0 | 0 | – |

| most kept of | tokens | kept % | literals kept % |
|---|---:|---:|---:|
| test/c | 4 | 100.0 | – |
)");
}

TEST_CASE("exactness is told by the decoder, byte for byte") {
  const TemporaryFolder folder;
  write(folder, "a", std::string("a\0\xFF\xC3 b\r\n", 8));  // not UTF-8
  const auto exact =
      scored(folder, with({"tr", "a", "b"}, {"sh", "-c", "printf 'a\\0\\377\\303 b\\r\\n'"}));
  CHECK(only(exact).exact == true);
  CHECK(exact.all().exact == 1);
  CHECK(exact.findings().empty());
  const auto other = scored(folder, with({"tr", "a", "b"}, {"cat"}));
  CHECK(only(other).exact == false);
  CHECK(only(other).fault == "the decoder gave back another text");
  CHECK(only(other).counted());
  const auto broken = scored(folder, with({"cat"}, {"sh", "-c", "echo no >&2; exit 4"}));
  CHECK(only(broken).exact == false);
  CHECK(only(broken).fault == "sh ended with exit code 4: no");
}

TEST_CASE("a text with more tokens than before is a finding") {
  const TemporaryFolder folder;
  write(folder, "a", "text");
  CHECK(scored(folder, with({"cat"})).findings().empty());
  const auto longer = scored(folder, with({"sed", "s/text/longer text/"}));
  REQUIRE(longer.findings().size() == 1);
  CHECK_THAT(corpus_markdown(longer, 0), Contains("- a: more tokens than before: 11 of 4"));
}

TEST_CASE(
    "what a compactor says that never stood there is a finding, unless its decoder proves it") {
  const TemporaryFolder folder;
  write(folder, "a", "port 5432 open\n");
  const auto other = scored(folder, with({"sed", "s/5432/5433/"}));
  REQUIRE(other.findings().size() == 1);
  CHECK(other.all().said.false_lines == 1);
  CHECK_THAT(corpus_markdown(other, 0),
             Contains("- a: 1 lines that never stood there, as: port 5433 open"));
  const auto exact = scored(folder, with({"sed", "s/5432/5433/"}, {"sed", "s/5433/5432/"}));
  CHECK(exact.findings().empty());
  CHECK(exact.all().said.lines == Standing{1, 0, 1, 0, 0});
}

TEST_CASE("a compactor that fails or crashes is that file's fault; the others are scored") {
  const TemporaryFolder folder;
  write(folder, "a", "fail\n");
  write(folder, "b", "crash\n");
  write(folder, "c", "fine\n");
  const auto score = scored(folder, with({"sh", "-c",
                                          "read word; case $word in fail) echo why >&2; exit 3;; "
                                          "crash) kill -SEGV $$;; esac; echo $word"},
                                         {"cat"}));
  CHECK(score.files[0].fault == "sh ended with exit code 3: why");
  CHECK_THAT(score.files[1].fault, Contains("signal 11"));
  CHECK(score.files[2].fault.empty());
  CHECK_FALSE(score.files[0].counted());
  CHECK(score.all().files == 1);
  CHECK(score.findings().size() == 2);
}

TEST_CASE("a compactor that hangs is stopped, and that is the file's fault") {
  const TemporaryFolder folder;
  write(folder, "a", "x");
  auto options = with({"sleep", "1000"});
  options.time_limit = std::chrono::milliseconds(500);
  CHECK_THAT(only(scored(folder, options)).fault, Contains("still running"));
}

TEST_CASE("a compactor that does not stop writing is stopped before it fills the disk") {
  const TemporaryFolder folder;
  write(folder, "a", "x");
  const auto score = scored(folder, with({"yes"}));
  CHECK_THAT(only(score).fault, Contains("yes ended with signal 25"));
}

TEST_CASE("a program that is not there ends the score") {
  const TemporaryFolder folder;
  write(folder, "a", "x");
  const auto score = score_corpus(folder.path(), with({"/nowhere/compactor"}), byte_tokens());
  REQUIRE_FALSE(score);
  CHECK(score.error().code == Error::Code::missing);
}

TEST_CASE("a file that cannot be read is told") {
  const TemporaryFolder folder;
  write(folder, "a", "x");
  std::filesystem::create_symlink("/proc/self/mem", folder / "b");  // reading its first byte fails
  const auto score = scored(folder, with({"cat"}));
  REQUIRE(score.files.size() == 2);
  CHECK_THAT(score.files[1].fault, Contains("cannot read"));
  CHECK(score.all().files == 1);
}

TEST_CASE("empty and very large files are scored") {
  const TemporaryFolder folder;
  write(folder, "a", "");
  write(folder, "b", std::string(std::size_t{4} << 20, 'x'));
  const auto score = scored(folder, with({"cat"}, {"cat"}));
  CHECK(score.all().exact == 2);
  CHECK(score.all().bytes == std::size_t{4} << 20);
  CHECK_THAT(corpus_markdown(score, 2), Contains("| a | 0 | – | – |"));
}

TEST_CASE("the JSON has the sums and each file") {
  const TemporaryFolder folder;
  write(folder, "log/a", "one\ntwo\n");
  const auto json =
      nlohmann::json::parse(corpus_json(scored(folder, with({"/usr/bin/head", "-n", "1"}))));
  CHECK(json["schema"] == "tare-corpus-score/1");
  CHECK(json["command"] == "head -n 1");
  CHECK(json["all"]["bytes_share"] == 0.5);
  CHECK(json["classes"]["log"]["tokens_kept"] == 4);
  CHECK(json["files"][0]["name"] == "log/a");
  CHECK(json["files"][0]["exact"].is_null());
}
