// The reports of the sample runs, byte for byte. After a wanted change, make them anew from the
// source tree's root:
//   tare report data/sample-run/published --against data/published --output
//   data/sample-run/published.md
//   tare report data/sample-run/compare --output data/sample-run/compare.md
//   tare report data/sample-run/compare --format html --output data/sample-run/compare.html
#include <catch2/catch.hpp>
#include <filesystem>

#include "analysis/cost_model.h"
#include "analysis/published.h"
#include "analysis/raw_reader.h"
#include "analysis/reporter.h"
#include "common/files.h"

using namespace tare::analysis;

TEST_CASE("the sample run gives the report that is kept beside it") {
  const auto data = std::filesystem::path(TARE_SOURCE_DIR) / "data";
  const auto folder = data / "sample-run" / "published";
  const auto run = read_run(folder);
  REQUIRE(run.has_value());
  const auto results = make_results(*run);
  const auto published = read_published(data / "published");
  REQUIRE(published.has_value());
  const auto comparison = compare_with(results, *published);
  const auto kept = tare::read_file(data / "sample-run" / "published.md");
  REQUIRE(kept.has_value());
  CHECK(find_reporter("markdown")->write(results, &comparison) == *kept);
}

TEST_CASE("the sliced sample run gives the reports that are kept beside it") {
  const auto data = std::filesystem::path(TARE_SOURCE_DIR) / "data";
  const auto run = read_run(data / "sample-run" / "compare");
  REQUIRE(run.has_value());
  auto results = make_results(*run);
  REQUIRE(results.field.has_value());
  auto model = read_cost_model(data / "cost-model.json");
  REQUIRE(model.has_value());
  results.field->cost_model = *model;
  for (const auto& [format, file] :
       {std::pair("markdown", "compare.md"), std::pair("html", "compare.html")}) {
    INFO(file);
    const auto kept = tare::read_file(data / "sample-run" / file);
    REQUIRE(kept.has_value());
    CHECK((find_reporter(format)->write(results, nullptr) == *kept));
  }
}
