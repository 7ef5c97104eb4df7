#include "analysis/field_results.h"

#include <catch2/catch.hpp>

#include "analysis/markdown_reporter.h"
#include "analysis/results.h"
#include "analysis/scatter_svg.h"
#include "analysis/verify.h"
#include "tests/support/run_folder.h"

using namespace tare::analysis;
using Catch::Matchers::Contains;
using tare::test::RunFolder;

namespace {

Results results_of(const RunFolder& folder) {
  const auto run = read_run(folder.path());
  REQUIRE(run.has_value());
  return make_results(*run);
}

Results verified(const RunFolder& folder) {
  REQUIRE(verify_decoders(folder.path()).has_value());
  auto results = results_of(folder);
  REQUIRE(results.field.has_value());
  return results;
}

const ClaimCheck& claim_of(const FieldResults& field, const std::string& arm) {
  for (const auto& claim : field.claims) {
    if (claim.arm == arm) return claim;
  }
  throw std::runtime_error("no such arm");
}

}  // namespace

TEST_CASE("a run that was not scored has no field") {
  RunFolder folder;
  folder.write();
  CHECK_FALSE(results_of(folder).field.has_value());
}

TEST_CASE("each arm is summed over the distinct pairs of a class") {
  RunFolder folder;
  folder.write();
  const auto results = verified(folder);
  const FieldResults& field = *results.field;
  CHECK(field.classes == std::vector<std::string>{"logs"});
  const FieldCell* tare = field.find("tare", "logs");
  REQUIRE(tare != nullptr);
  CHECK(tare->pairs == 5);
  CHECK(tare->deterministic());
  CHECK(tare->lines == Standing{20, 5, 15, 0, 0});
  CHECK(tare->exact == 5);
  CHECK(tare->false_lines == 0);
  const FieldCell* headroom = field.find("headroom-0.37.0", "logs");
  REQUIRE(headroom != nullptr);
  CHECK(headroom->facts == Standing{5, 3, 0, 0, 2});
  CHECK(headroom->lines == Standing{20, 18, 0, 0, 2});
  CHECK(headroom->lossy == 2);
}

TEST_CASE("a claim that does not hold is told with what speaks against it, in full") {
  RunFolder folder;
  folder.write();
  const auto results = verified(folder);
  const auto& headroom = claim_of(*results.field, "headroom-0.37.0");
  CHECK(headroom.claims_lossless);
  CHECK_FALSE(headroom.holds());
  CHECK(headroom.lossy == 2);
  REQUIRE(headroom.examples.size() == 1);
  CHECK(headroom.examples[0].row->score.said.lost.size() == 1);
  CHECK(claim_of(*results.field, "tare").holds());
  const auto text = markdown::field_section(results);
  CHECK_THAT(text, Contains("**No model was asked.**"));
  CHECK_THAT(text, Contains("**does not hold**: of 5 bodies 2 lose something, 0 say what never"));
  CHECK_THAT(text, Contains("```text\nERROR request=req-"));
  CHECK_THAT(text, Contains("of 5 bodies none loses anything"));
  const auto page = find_reporter("html")->write(results, nullptr);
  CHECK_THAT(page, Contains("<pre>ERROR request=req-"));
  CHECK_THAT(page, Contains("<title>Tokens kept against information kept</title>"));
}

TEST_CASE("the first compressor is put against those that lost nothing, and those that dropped") {
  RunFolder folder;
  folder.write();
  const auto results = verified(folder);
  const auto text = markdown::glance_table(results, results.field.value());
  CHECK_THAT(text, Contains("### tare against the field, class by class"));
  CHECK_THAT(text, Contains("tare lost something or said something false in 0 classes"));
  // The bodies here are so small that the form is longer than what it replaces.
  CHECK_THAT(text, Contains("sent fewer tokens in 1 classes with all of it in the request"));
  CHECK_THAT(text, Contains("| logs | 107.7 | control 100.0: fewer | – | headroom-0.37.0 [1] 95.8 "
                            "(lost 2 of 20 lines, 2 of 5 literals, 2 of 5 facts) |"));
}

TEST_CASE("what is behind markers is told apart from what is in the request") {
  RunFolder folder;
  folder.write();
  auto results = verified(folder);
  for (auto& cell : results.field->cells) {
    if (cell.arm != "direct") continue;
    cell.lines.recoverable = 3;
    cell.tokens.forwarded = 1;
  }
  const auto text = markdown::glance_table(results, results.field.value());
  CHECK_THAT(text, Contains("and in 1 with parts behind markers"));
  CHECK_THAT(text, Contains("| control 100.0: fewer | direct "));
}

TEST_CASE("the field is in the JSON and the CSV report too") {
  RunFolder folder;
  folder.write();
  const auto results = verified(folder);
  const auto root = nlohmann::json::parse(find_reporter("json")->write(results, nullptr));
  CHECK(root["field"]["no_model_was_asked"] == true);
  CHECK(root["field"]["cells"].size() == 4);
  CHECK(root["field"]["claims"][1]["counter_examples"][0]["score"]["row"] == "pair");
  const auto csv = find_reporter("csv")->write(results, nullptr);
  CHECK_THAT(csv, Contains("logs,,headroom-0.37.0,,field_lines_lost,,2,count,20,,,"));
}

TEST_CASE("a run that was scored is reported without its bodies") {
  RunFolder folder;
  folder.write();
  const auto whole = find_reporter("markdown")->write(verified(folder), nullptr);
  std::filesystem::remove_all(folder.path() / "bodies");
  std::filesystem::create_directory(folder.path() / "bodies");
  const auto results = results_of(folder);
  const auto text = find_reporter("markdown")->write(results, nullptr);
  const auto kept = [](const std::string& report) {
    const auto begin = report.find("## What was kept");
    return report.substr(begin, report.find("\n## Starts") - begin);
  };
  CHECK(kept(text) == kept(whole));
}

TEST_CASE("the same body forwarded in two ways is not deterministic") {
  RunFolder folder;
  for (auto& request : folder.requests) {
    if (request["arm"] == "control" && request["round"] == 3) {
      request["received_sha256"] = request["sent_sha256"];
    }
    if (request["arm"] == "tare" && request["round"] == 3 && request["index"] == 0) {
      request["received_sha256"] = request["sent_sha256"];
    }
  }
  folder.write();
  const auto results = verified(folder);
  CHECK(results.field->find("control", "logs")->deterministic());
  CHECK_FALSE(results.field->find("tare", "logs")->deterministic());
  CHECK(results.field->find("tare", "logs")->pairs == 6);
}

TEST_CASE("conversations are priced by the cost model, and a broken prefix shows") {
  RunFolder folder;
  for (auto& row : folder.workload) {
    row["conversation"] = "c1";
    row["turn"] = row["index"].get<int>() + 1;
  }
  folder.write();
  auto results = verified(folder);
  CHECK_THAT(markdown::field_section(results), !Contains("What conversations cost"));
  CostModel model;
  model.title = "a test";
  model.currency = "EUR";
  model.input_per_million = 2;
  model.cached_input_per_million = 1;
  model.cache_write_per_million = 3;
  results.field->cost_model = model;
  const auto text = markdown::field_section(results);
  CHECK_THAT(text, Contains("What conversations cost"));
  CHECK_THAT(text, Contains("a test (EUR a million tokens: input 2, from the cache 1"));
}

TEST_CASE("the picture has a dot an arm and class, and is the same each time") {
  RunFolder folder;
  folder.write();
  const auto results = verified(folder);
  const auto svg = scatter_svg(*results.field);
  CHECK_THAT(svg, Contains("<title>headroom-0.37.0, logs: "));
  CHECK(svg == scatter_svg(*results.field));
  CHECK(svg.starts_with("<svg"));
  CHECK(scatter_svg({}).empty());
}
