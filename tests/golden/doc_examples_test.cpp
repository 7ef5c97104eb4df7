// The examples of docs/compact-form.md: a block marked "form" and the "text" below it; above them
// may be one of an earlier output, "earlier NAME".
#include <catch2/catch.hpp>

#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "common/files.h"
#include "proxy/compact/compact.h"

using tare::compact::Earlier;

TEST_CASE("each example of the form's document expands to the text below it") {
  const auto document =
      tare::read_file(std::filesystem::path(TARE_SOURCE_DIR) / "docs/compact-form.md");
  REQUIRE(document);
  std::istringstream lines(*document);
  std::optional<std::string> form;
  std::pair<std::string, std::string> output;
  Earlier earlier;
  int examples = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("```")) continue;
    const std::string kind = line.substr(3);
    std::string block;
    while (std::getline(lines, line) && line != "```") block += line + "\n";
    if (!block.empty()) block.pop_back();
    CAPTURE(kind, block);
    CHECK(form.has_value() == (kind == "text"));
    if (kind.starts_with("earlier ")) {
      output = {kind.substr(8), block};
      earlier = Earlier();
      earlier.add(output.first, output.second);
    } else if (kind == "form") {
      form = block;
    } else if (form) {
      const auto text = tare::compact::expand(*form, 1 << 20, &earlier);
      CHECK((text ? *text : text.error().text()) == block);
      form.reset();
      ++examples;
    }
  }
  CHECK_FALSE(form);
  CHECK(examples >= 10);
}
