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
