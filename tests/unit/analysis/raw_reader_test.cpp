#include "analysis/raw_reader.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "analysis/reporter.h"
#include "analysis/results.h"
#include "analysis/run_info.h"
#include "analysis/verify.h"
#include "common/files.h"
#include "common/zstd_stream.h"
#include "tests/support/json_schema.h"
#include "tests/support/run_folder.h"
#include "tests/support/temporary_folder.h"

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using namespace tare::analysis;
using tare::test::RunFolder;
using tare::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

std::string markdown_of(const RunFolder& folder) {
  const auto run = read_run(folder.path());
  REQUIRE(run.has_value());
  return find_reporter("markdown")->write(make_results(*run), nullptr);
}

void append_rows(const fs::path& file, const std::string& text) {
  auto appender = tare::ZstdAppender::open(file);
  REQUIRE(appender.has_value());
  REQUIRE(appender->write(text).has_value());
  REQUIRE(appender->end_frame().has_value());
}

}  // namespace

TEST_CASE("a folder that is no run folder is wrong usage, and says what to give") {
  TemporaryFolder folder;
  for (const auto& path : {folder / "nothing", folder.path()}) {
    const auto run = read_run(path);
    REQUIRE_FALSE(run.has_value());
    CHECK(run.error().code == tare::Error::Code::usage);
    CHECK_THAT(run.error().remedy, Contains("tare run"));
  }
}

TEST_CASE("run.json that is damaged, foreign or of another schema is refused with its place") {
  TemporaryFolder folder;
  const auto message = [&](const std::string& text) {
    REQUIRE(tare::write_file(folder / "run.json", text).has_value());
    const auto run = read_run(folder.path());
    REQUIRE_FALSE(run.has_value());
    return run.error().message;
  };
  CHECK_THAT(message(R"({"schema":"tare-run/1",)"), Contains("damaged at byte 24"));
  CHECK_THAT(message("{}"), Contains("/schema is missing"));
  CHECK_THAT(message("[]"), Contains("/schema is missing"));
  CHECK_THAT(message(R"({"schema":"tare-run/9"})"), Contains("\"tare-run/9\" is not known"));
  CHECK_THAT(message(R"({"schema":"tare-run/1","state":3})"),
             Contains("/state: expected a text, found 3"));
}

TEST_CASE("the run folder of these tests is one that the schemas allow") {
  RunFolder folder;
  const auto allowed = [](const char* name, const nlohmann::json& document) {
    const auto root = tare::test::schema(name);
    return tare::test::takes(root, document, root);
  };
  CHECK(allowed("run-document", folder.run));
  CHECK(allowed("run-workload", folder.workload.front()));
  CHECK(allowed("run-groups", folder.groups.front()));
  for (const auto& row : folder.starts) CHECK(allowed("run-starts", row));
  for (const auto& row : folder.requests) CHECK(allowed("run-requests", row));
  folder.write();
  REQUIRE(verify_decoders(folder.path()).has_value());
  const std::string line = tare::read_file(folder.path() / "fidelity.jsonl").value();
  CHECK(allowed("run-fidelity", nlohmann::json::parse(line.substr(0, line.find('\n')))));
  const std::string scores = tare::read_file(folder.path() / "scores.jsonl").value();
  std::size_t rows = 0;
  for (std::size_t begin = 0; begin < scores.size(); ++rows) {
    const auto end = scores.find('\n', begin);
    CHECK(allowed("run-scores", nlohmann::json::parse(scores.substr(begin, end - begin))));
    begin = end + 1;
  }
  CHECK(rows > 10);
}

TEST_CASE("groups that an arm has no route for are not missing") {
  RunFolder folder;
  std::erase_if(folder.groups, [](const auto& row) {
    return row["arm"] == "control" && row["mode"] == "unique" && row["round"] == 1;
  });
  folder.write();
  CHECK_THAT(markdown_of(folder), Contains("groups.jsonl.zst"));
  folder.events.push_back({{"time_ns", 1},
                           {"at", "2026-11-30T00:00:00Z"},
                           {"kind", "route_not_supported"},
                           {"arm", "control"},
                           {"round", 1},
                           {"message", "logs unique"}});
  folder.write();
  CHECK_THAT(markdown_of(folder), !Contains("groups.jsonl.zst: "));
}

TEST_CASE("a run.json with any one value changed, missing or added is read or refused") {
  RunFolder folder;
  std::size_t read = 0;
  tare::test::for_each_damage(folder.run, [&](const auto& damaged, const std::string& pointer) {
    INFO(pointer);
    const auto info = parse_run_info(damaged.dump());
    if (info) {
      ++read;
    } else {
      CHECK_THAT(info.error().message, StartsWith("run.json: "));
    }
  });
  CHECK(read > 0);
}

TEST_CASE("a row with any one value changed, missing or added is used or left out, and named") {
  RunFolder folder;
  for (auto* rows : {&folder.starts, &folder.groups, &folder.requests}) {
    std::erase_if(*rows, [](const auto& row) { return row["start"] != 1; });
  }
  folder.write();
  const auto file = GENERATE(as<std::string>(), "starts", "groups", "requests", "workload");
  const auto& rows = file == "starts"     ? folder.starts
                     : file == "groups"   ? folder.groups
                     : file == "workload" ? folder.workload
                                          : folder.requests;
  std::string others;
  for (std::size_t i = 1; i < rows.size(); ++i) others += rows[i].dump() + "\n";
  const auto path = folder.path() / (file + ".jsonl.zst");
  tare::test::for_each_damage(rows[0], [&](const auto& damaged, const std::string& pointer) {
    INFO(pointer);
    fs::remove(path);
    append_rows(path, damaged.dump() + "\n" + others);
    CHECK_THAT(markdown_of(folder), Contains("## What was kept"));
  });
}

TEST_CASE("fields that this version does not know change nothing") {
  RunFolder folder;
  folder.write();
  const std::string before = markdown_of(folder);
  folder.run["later"] = {1, 2};
  for (auto* rows : {&folder.workload, &folder.starts, &folder.groups, &folder.requests}) {
    for (auto& row : *rows) row["later"] = "yes";
  }
  folder.write();
  CHECK(markdown_of(folder) == before);
}

TEST_CASE("lines that are garbage or lack a field are left out and named; the rest is used") {
  RunFolder folder;
  folder.write();
  append_rows(folder.path() / "requests.jsonl.zst",
              "garbage\n{\"start\":1}\n[]\n\n{\"request\":1,\"sta");
  const auto run = read_run(folder.path());
  REQUIRE(run.has_value());
  CHECK(run->damaged);
  CHECK(run->requests.size() == folder.requests.size());
  REQUIRE(run->warnings.size() == 4);
  const std::string line = "requests.jsonl.zst, line " + std::to_string(folder.requests.size() + 1);
  CHECK(run->warnings[0] == line + ": it is not JSON: left out");
  CHECK_THAT(run->warnings[1], Contains("/round: expected a count, found nothing"));
  CHECK_THAT(run->warnings[2], Contains("expected an object"));
  CHECK_THAT(run->warnings[3], Contains("it breaks off"));
}

TEST_CASE("a file cut anywhere is used up to the last whole frame, and its place is named") {
  RunFolder folder;
  folder.write();
  const auto file = GENERATE(as<std::string>(), "workload.jsonl.zst", "starts.jsonl.zst",
                             "groups.jsonl.zst", "requests.jsonl.zst");
  const auto whole = tare::read_file(folder.path() / file).value();
  const auto size = whole.size();
  for (std::size_t keep = 0; keep < size; keep += 1 + size / 23) {
    REQUIRE(tare::write_file(folder.path() / file, whole.substr(0, keep)).has_value());
    const auto run = read_run(folder.path());
    REQUIRE(run.has_value());
    for (const auto& warning : run->warnings) {
      CHECK_THAT(warning, !Contains(folder.path().string()));
    }
    const std::string text = find_reporter("markdown")->write(make_results(*run), nullptr);
    CHECK_THAT(text, Contains("# A plan of a test"));
    if (run->damaged) CHECK_THAT(text, Contains("missing or damaged"));
  }
}

TEST_CASE("whole frames that are lost, or there twice, are told by the number of rows") {
  RunFolder folder;
  folder.write();
  const auto [name, lost, doubled] = GENERATE(table<std::string, bool, bool>({
      {"requests.jsonl.zst", true, true},
      {"groups.jsonl.zst", true, true},
      {"starts.jsonl.zst", false, true},    // requests without a start say that rows are lost
      {"workload.jsonl.zst", true, false},  // a body described twice changes no figure
  }));
  const auto path = folder.path() / name;
  const auto whole = tare::read_file(path).value();
  std::vector<std::string> damages;
  if (lost) damages.emplace_back();
  if (doubled) damages.push_back(whole + whole);
  for (const auto& bytes : damages) {
    REQUIRE(tare::write_file(path, bytes).has_value());
    const auto run = read_run(folder.path());
    REQUIRE(run.has_value());
    CHECK(run->damaged);
    REQUIRE(run->warnings.size() == 1);
    CHECK_THAT(run->warnings[0], StartsWith(name + ": ") && Contains("rows, but the run wrote"));
    CHECK_THAT(markdown_of(folder), Contains("missing or damaged"));
  }
}

TEST_CASE("a run that did not live to count its requests is not called damaged for that") {
  RunFolder folder;
  folder.run["state"] = "incomplete";
  folder.run["reason"] = "running";
  folder.run["ended_at"] = nullptr;
  for (auto& [name, count] : folder.run["totals"].items()) count = 0;
  folder.write();
  CHECK_FALSE(read_run(folder.path()).value().damaged);
}

TEST_CASE("a run.json nested deeper than the stack holds is refused with the remedy") {
  RunFolder folder;
  folder.write();
  constexpr std::size_t levels = 200'000;
  const auto text = tare::read_file(folder.path() / "run.json").value();
  const auto deep = R"({"environment":{"x":)" + std::string(levels, '[') +
                    std::string(levels, ']') + "}," + text.substr(text.find('{') + 1);
  REQUIRE(tare::write_file(folder.path() / "run.json", deep).has_value());
  const auto run = read_run(folder.path());
  REQUIRE_FALSE(run.has_value());
  CHECK_THAT(run.error().text(), Contains("levels deep") && Contains("restore"));
}

TEST_CASE("a file that is not there is named") {
  RunFolder folder;
  folder.write();
  fs::remove(folder.path() / "groups.jsonl.zst");
  const auto run = read_run(folder.path());
  REQUIRE(run.has_value());
  CHECK(run->damaged);
  CHECK(run->warnings == std::vector<std::string>{"groups.jsonl.zst: it is not there"});
  CHECK_THAT(markdown_of(folder), Contains("groups.jsonl.zst: it is not there"));
}

TEST_CASE("requests whose start has no row are in no figure") {
  RunFolder folder;
  folder.starts.pop_back();
  folder.write();
  const auto run = read_run(folder.path());
  REQUIRE(run.has_value());
  CHECK(run->warnings ==
        std::vector<std::string>{"starts.jsonl.zst: 10 requests belong to starts that have no row: "
                                 "left out"});
  const auto results = make_results(*run);
  CHECK(results.groups[0].find("direct")->figures.at(metrics::requests).n == 8);
}

TEST_CASE("a start that a kill cut off is nothing lost once the run was resumed") {
  RunFolder folder;
  folder.starts.pop_back();
  folder.events.push_back({{"time_ns", 1},
                           {"at", "2026-05-01T10:00:00Z"},
                           {"kind", "resumed"},
                           {"arm", nullptr},
                           {"round", nullptr},
                           {"message", "after 5 s"}});
  folder.write();
  const auto run = read_run(folder.path());
  REQUIRE(run.has_value());
  CHECK(run->warnings.empty());
  CHECK_FALSE(run->damaged);
}

TEST_CASE("a stored body that is missing or altered is named, and its figures are absent") {
  RunFolder folder;
  folder.write();
  for (const auto& entry : fs::recursive_directory_iterator(folder.path() / "bodies")) {
    if (!entry.is_regular_file()) continue;
    REQUIRE(tare::write_file(entry.path(), tare::zstd_compress("other")).has_value());
  }
  const auto results = make_results(*read_run(folder.path()));
  CHECK(results.damaged);
  CHECK_THAT(results.warnings.at(0), EndsWith("its content does not have this SHA-256"));
  const Cell& control = *results.groups[0].find("control");
  CHECK_FALSE(control.figures.value(metrics::forwarded_tokens));
  CHECK(control.kept.changes.at(Change::unknown) == 1);
  CHECK(control.figures.value(metrics::mean_latency));
}
