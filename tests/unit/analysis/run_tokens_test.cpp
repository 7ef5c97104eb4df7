#include "analysis/run_tokens.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/bodies.h"
#include "analysis/reporter.h"
#include "analysis/results.h"
#include "common/files.h"
#include "tests/support/json_schema.h"
#include "tests/support/run_folder.h"

using namespace tare::analysis;
using Catch::Matchers::Contains;
using tare::test::RunFolder;

namespace {

// Every byte is a token.
O200k byte_ranks() {
  auto made = O200k::parse("YQ== 0\n", "bytes");
  REQUIRE(made);
  return std::move(*made);
}

Results results_of(const RunFolder& folder) {
  const auto run = read_run(folder.path());
  REQUIRE(run);
  CHECK(run->warnings.empty());
  return make_results(*run);
}

std::string report(const Results& results, const char* format) {
  return find_reporter(format)->write(results, nullptr);
}

}  // namespace

TEST_CASE("each distinct body of a run is counted once, and the rows are as their schema says") {
  RunFolder folder;
  folder.write();
  const auto counted = count_run_tokens(folder.path(), byte_ranks());
  REQUIRE(counted);
  CHECK(*counted == folder.bodies.size());
  std::istringstream lines(tare::read_file(folder.path() / "tokens.jsonl").value());
  const auto schema = tare::test::schema("run-tokens");
  std::size_t rows = 0;
  for (std::string line; std::getline(lines, line); ++rows) {
    CHECK(tare::test::takes(schema, nlohmann::json::parse(line), schema));
  }
  CHECK(rows == folder.bodies.size());
}

TEST_CASE("reports give the exact counts, and say what they are") {
  RunFolder folder;
  folder.write();
  REQUIRE(count_run_tokens(folder.path(), byte_ranks()));
  const auto results = results_of(folder);
  CHECK(results.tokens_counted);
  const auto& figures = results.groups.at(0).find("tare")->figures;  // index 0 throughout
  const auto forwarded = parse_body(tare::test::forwarded_body("tare", 0));
  CHECK(figures.value(metrics::forwarded_tokens) == forwarded.outputs.at(0).text.size());
  CHECK_FALSE(figures.value(metrics::estimated_forwarded_tokens));
  CHECK_THAT(report(results, "markdown"), Contains("tokens, o200k_base") && !Contains("estimate") &&
                                              Contains("counted exactly"));
  CHECK_THAT(report(results, "json"), Contains("\"tokens\": \"o200k_base\"") &&
                                          Contains("\"mean_forwarded_tokens\"") &&
                                          !Contains("estimate"));
}

TEST_CASE("without counts, or with some only, every token figure is an estimate") {
  RunFolder folder;
  folder.write();
  const auto none = results_of(folder);
  CHECK_FALSE(none.tokens_counted);
  CHECK_THAT(report(none, "markdown"), Contains("tokens, estimate"));
  CHECK_THAT(report(none, "json"), Contains("\"tokens\": \"estimate\""));

  REQUIRE(count_run_tokens(folder.path(), byte_ranks()));
  const auto file = folder.path() / "tokens.jsonl";
  const auto lines = tare::read_file(file).value();
  REQUIRE(tare::write_file(file, lines.substr(0, lines.find('\n') + 1)));
  const auto some = make_results(read_run(folder.path()).value());
  CHECK_FALSE(some.tokens_counted);
  REQUIRE(some.warnings.size() == 1);
  CHECK_THAT(some.warnings[0],
             Contains("tokens.jsonl: bodies without a row: ") && Contains("tokens are estimates"));
}

TEST_CASE("a damaged row of tokens.jsonl is told, and takes the exact counts with it") {
  RunFolder folder;
  folder.write();
  REQUIRE(tare::write_file(folder.path() / "tokens.jsonl", "{\"sha256\": 1}\n"));
  const auto run = read_run(folder.path());
  REQUIRE(run);
  REQUIRE(run->warnings.size() == 2);
  CHECK_THAT(run->warnings[0], Contains("tokens.jsonl, line 1"));
  CHECK_THAT(run->warnings[1], Contains("tokens.jsonl: bodies without a row"));
  CHECK(run->damaged);
  CHECK(counted_outputs(*run).empty());
}
