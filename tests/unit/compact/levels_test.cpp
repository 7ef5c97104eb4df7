#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/compact/compact.h"
#include "proxy/compact/writer_alias.h"
#include "proxy/compact/writer_ditto.h"
#include "tests/support/made_values.h"

using Catch::Matchers::Contains;
using tare::compact::compact;
using tare::compact::DittoRows;
using tare::compact::expand;
using tare::compact::Level;
using tare::compact::Template;
using tare::compact::with_aliases;
using tare::test::MadeValues;

namespace {

std::string form_at(Level level, const std::string& text) {
  const auto made = compact(text, {.level = level});
  CHECK(made.changed);
  CHECK(expand(made.text) == text);
  return made.text;
}

// The rows in which `values` stand, one slot behind the other.
std::string ditto_rows(const std::vector<std::string_view>& values, std::uint32_t slots,
                       std::size_t breaks_at = 99) {
  Template shape;
  shape.slots = slots;
  shape.separator = " ";
  MadeValues made;
  made.give(shape, values);
  DittoRows rows;
  std::string text;
  for (std::size_t row = 0; row < shape.rows.size(); ++row) {
    rows.append(text, shape, row, row > 0 && row != breaks_at);
    text += '\n';
  }
  return text;
}

}  // namespace

TEST_CASE("plain has no arithmetic, no blocks and no rows under another heading") {
  std::string text;
  for (int i = 0; i < 60; ++i) {
    text += fmt::format("step {} of the same plan\n", i);
    if (i % 10 == 3) text += "a line of its own, number " + std::to_string(i * i) + "\n";
    if (i % 20 == 7) text += "Traceback (most recent call last):\n  File \"x.py\"\nKeyError: 7\n";
  }
  const std::string plain = form_at(Level::plain, text);
  for (const char* mark : {"{n", "[ to", "values = it"}) CHECK_THAT(plain, !Contains(mark));
  CHECK(form_at(Level::standard, text).size() <= plain.size());
}

TEST_CASE("a level's form is no longer than that of the level below") {
  std::string text;
  for (int i = 0; i < 80; ++i) {
    text += fmt::format(
        "/srv/build/release/lib/part{}/module.o: {} symbols, built by builder-7.internal\n", i / 9,
        i * 31 % 200);
  }
  const auto standard = form_at(Level::standard, text);
  CHECK(standard.size() <= form_at(Level::plain, text).size());
  CHECK(form_at(Level::full, text).size() <= standard.size());
}

TEST_CASE("a value like the one above becomes a mark, where that is shorter and above is a row") {
  const std::vector<std::string_view> values{
      "alpha-beta-gamma", "alpha-beta-gamma", "alpha-beta-gamma", "1", "2", "2"};
  CHECK(ditto_rows(values, 2) == "alpha-beta-gamma 1\n\" 2\n\" 2\n");
  CHECK(ditto_rows(values, 2, 1) == "alpha-beta-gamma 1\nalpha-beta-gamma 2\n\" 2\n");
  CHECK(ditto_rows({"alpha-beta-gamma", "alpha-beta-gamma"}, 1) ==
        "alpha-beta-gamma\nalpha-beta-gamma\n");
}

TEST_CASE("every eighth row says the value again") {
  std::istringstream rows(ditto_rows(std::vector<std::string_view>(40, "alpha-beta-gamma"), 2));
  int row = 0;
  for (std::string line; std::getline(rows, line); ++row)
    CHECK(line.starts_with("alpha") == (row % 8 == 0));
}

TEST_CASE("the beginnings of paths that come often get a name") {
  std::string body;
  for (int i = 0; i < 12; ++i) body += fmt::format("\nuse /srv/releases/2031-04/lib/part{}.so", i);
  const auto form = with_aliases("[~{} compact, lossless, 12 lines]" + body, true);
  REQUIRE(form);
  CHECK_THAT(
      *form,
      Contains("lines: §a stands for the text given below]\n§a = /srv/releases/2031-04/lib\n"));
  CHECK_THAT(*form, Contains("\nuse §a/part11.so"));
  CHECK(expand(*form) == body.substr(1));
}

TEST_CASE("nothing is named in vain, inside a word, or when no mark is free") {
  const std::string head = "[~{} compact, lossless, 12 lines: x]";
  std::string body;
  for (int i = 0; i < 12; ++i) body += fmt::format("\nuse /srv/releases/2031-04/lib/part{}.so", i);
  CHECK_FALSE(with_aliases(head + "\n/srv/releases/2031-04/lib/part", true));
  CHECK_FALSE(with_aliases(head + body + "§¤†", true));
  CHECK_THAT(*with_aliases(head + body + "§", true), Contains("\n¤a = "));
  const auto glued = with_aliases(head + body + "\nx/srv/releases/2031-04/library", true);
  REQUIRE(glued);
  CHECK_THAT(*glued, Contains("\nx/srv/releases/2031-04/library"));
}

TEST_CASE("a line that looks like a failure keeps its path at every level") {
  std::string text;
  for (int i = 0; i < 80; ++i)
    text += fmt::format("/srv/build/release/lib/module.o: {} symbols, from {:x}\n", i * 31 % 200,
                        i * i);
  const std::string planted = "/srv/build/release/lib/module.o: FATAL error 7";
  text.insert(text.find('\n', 1000) + 1, planted + "\n");
  for (const Level level : {Level::plain, Level::standard, Level::full})
    CHECK_THAT(form_at(level, text), Contains(planted));
}
