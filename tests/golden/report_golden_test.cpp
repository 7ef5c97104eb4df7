// The reports of the sample runs, byte for byte. After a wanted change, make them anew from the
// source tree's root:
//   tare report data/sample-run/published --against data/published --output
//   data/sample-run/published.md
//   tare report data/sample-run/compare --output data/sample-run/compare.md
//   tare report data/sample-run/compare --format html --output data/sample-run/compare.html
// and so of each other folder there; .ci/sample-run adds one.
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

TEST_CASE("each other sample run gives the reports that are kept beside it") {
  const auto data = std::filesystem::path(TARE_SOURCE_DIR) / "data";
  const auto model = read_cost_model(data / "cost-model.json");
  REQUIRE(model.has_value());
  std::size_t runs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(data / "sample-run")) {
    if (!entry.is_directory() || entry.path().filename() == "published") continue;
    ++runs;
    const auto run = read_run(entry.path());
    REQUIRE(run.has_value());
    auto results = make_results(*run);
    REQUIRE(results.field.has_value());
    results.field->cost_model = *model;
    // What was left out of the folder is not missed.
    CHECK(results.warnings == std::vector<std::string>{});
    for (const auto& [format, ending] :
         {std::pair("markdown", ".md"), std::pair("html", ".html")}) {
      INFO(entry.path().filename() << ending);
      const auto kept = tare::read_file(entry.path().string() + ending);
      REQUIRE(kept.has_value());
      CHECK((find_reporter(format)->write(results, nullptr) == *kept));
    }
  }
  CHECK(runs >= 1);
}
