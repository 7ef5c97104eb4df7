// data/corpora: what data/make_corpora.py wrote, as its index says, and the engine on all of it.
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "common/files.h"
#include "common/hash.h"
#include "proxy/compact/compact.h"

namespace compact = tare::compact;

namespace {

const std::filesystem::path corpora = std::filesystem::path(TARE_SOURCE_DIR) / "data" / "corpora";

struct Row {
  std::string path, class_name, bytes, sha256_16;
};

std::vector<Row> index_rows() {
  std::istringstream lines(tare::read_file(corpora / "index.tsv").value());
  std::vector<Row> rows;
  std::string line;
  std::getline(lines, line);  // titles
  while (std::getline(lines, line)) {
    std::istringstream cells(line);
    Row row;
    for (std::string* cell : {&row.path, &row.class_name, &row.bytes, &row.sha256_16}) {
      std::getline(cells, *cell, '\t');
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

TEST_CASE("the corpus is what its index says, of every class and of moderate size") {
  std::set<std::string> paths;
  std::set<std::string> classes;
  std::size_t bytes = 0;
  for (const auto& row : index_rows()) {
    INFO(row.path);
    const auto text = tare::read_file(corpora / row.path);
    REQUIRE(text);
    CHECK(std::to_string(text->size()) == row.bytes);
    CHECK(tare::sha256_hex(*text).substr(0, 16) == row.sha256_16);
    CHECK(row.path.starts_with(row.class_name + "/"));
    paths.insert(row.path);
    classes.insert(row.class_name);
    bytes += text->size();
  }
  CHECK(paths.size() >= 40);
  CHECK(classes == std::set<std::string>{"build", "code", "diff", "grep", "json", "listing", "log",
                                         "ndjson", "prose", "table", "test"});
  CHECK(bytes < 1'500'000);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(corpora)) {
    if (!entry.is_regular_file() || entry.path().filename() == "index.tsv") continue;
    CHECK(paths.contains(entry.path().lexically_relative(corpora).generic_string()));
  }
}

TEST_CASE("each output of the corpus comes back byte for byte, at every level") {
  // compact() leaves a text alone when its form fails the check, so that most have one must be
  // seen.
  std::size_t forms = 0;
  for (const auto& row : index_rows()) {
    INFO(row.path);
    const auto text = tare::read_file(corpora / row.path).value();
    for (const auto level :
         {compact::Level::plain, compact::Level::standard, compact::Level::full}) {
      compact::Options options;
      options.level = level;
      const auto form = compact::compact(text, options);
      CHECK(form.text.size() <= text.size());
      if (!form.changed) continue;
      CHECK(compact::expand(form.text).value() == text);
      ++forms;
    }
  }
  CHECK(forms > 0);
}
