// Forms that another implementation wrote (make_forms.py says how): each must expand to its text.
#include <catch2/catch.hpp>

#include <filesystem>
#include <string>

#include "common/files.h"
#include "proxy/compact/compact.h"

namespace {

namespace fs = std::filesystem;

constexpr int expected_forms = 100;

std::string content(const fs::path& path) {
  auto text = tare::read_file(path);
  REQUIRE(text);
  return std::move(*text);
}

}  // namespace

TEST_CASE("each form of the reference expands to its text, byte for byte") {
  int forms = 0;
  for (const auto& entry :
       fs::directory_iterator(fs::path(TARE_SOURCE_DIR) / "tests/golden/forms")) {
    if (entry.path().extension() != ".form") continue;
    ++forms;
    CAPTURE(entry.path().filename().string());
    // NAME.LEVEL.form stands for NAME.txt.
    const auto text =
        content(entry.path().parent_path() / (entry.path().stem().stem().string() + ".txt"));
    const auto expanded = tare::compact::expand(content(entry.path()), text.size());
    if (!expanded) FAIL_CHECK(expanded.error().text());
    if (expanded) CHECK(*expanded == text);
  }
  CHECK(forms >= expected_forms);
}
