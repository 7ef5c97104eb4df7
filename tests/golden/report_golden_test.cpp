// The report of the sample run, byte for byte. After a wanted change, make it anew from the source
// tree's root:
//   tare report data/sample-run/published --against data/published --output
//   data/sample-run/published.md
#include <catch2/catch.hpp>
#include <filesystem>

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
