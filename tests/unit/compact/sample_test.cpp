// Texts of more lines than are mined: what the sample shows is matched against all of them.
#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "proxy/compact/compact.h"
#include "proxy/compact/writer.h"
#include "proxy/compact/writer_law.h"
#include "proxy/compact/writer_match.h"
#include "tests/support/made_values.h"
#include "tests/support/sized_texts.h"

using tare::compact::expand;
using tare::compact::Hole;
using tare::compact::LawSlot;
using tare::compact::Level;
using tare::compact::Matcher;
using tare::compact::Template;
using tare::compact::write_form;
using namespace tare::test;

namespace {

std::string given(std::string_view slot, std::uint32_t number) {
  const auto law = LawSlot::read(slot);
  REQUIRE(law.has_value());
  std::string text;
  law->append(text, number);
  return text;
}

// "took {1} ms on {2}" as seen in lines of these values, then hosts.
Template timings(MadeValues& made, const std::vector<std::string_view>& values) {
  Template shape;
  shape.lines.push_back(
      {"took 12 ms on red",
       {{5, 7, Hole::Kind::open, 0, 0, {}}, {14, 17, Hole::Kind::open, 1, 0, {}}}});
  shape.slots = 2;
  shape.separator = " ";
  made.give(shape, values);
  return shape;
}

bool matches(const Template& shape, std::string_view line) {
  auto matcher = Matcher::make(shape);
  REQUIRE(matcher.has_value());
  const std::vector<std::string_view> records{line};
  return matcher->match(records, 0, 1);
}

}  // namespace

TEST_CASE("forms of long texts of every class and level expand to them") {
  for (const SizedClass& kind : sized_classes) {
    CAPTURE(kind.name);
    const std::string text = kind.make(300'000);
    for (const Level level : {Level::plain, Level::standard, Level::full}) {
      const auto form = write_form(text, {.level = level});
      if (form) CHECK(expand(form->text) == text);
    }
  }
}

TEST_CASE("so do those whose instances of several lines meet blocks that come again") {
  Random random(11);
  std::string text;
  std::vector<std::string> blocks;
  for (int i = 0; i < 1500; ++i) {
    std::string lines =
        fmt::format("=== RUN   Test{}\n--- PASS: Test{} (0.{:02}s)\n", i, i, random.below(100));
    if (i % 7 == 0) lines += generated::sentence(random) + "\n";
    if (i % 50 < 3) blocks.push_back(lines);
    text += lines;
    if (i % 90 == 80) text += blocks[random.below(blocks.size())] + blocks.back();
  }
  const auto form = write_form(text, {});
  REQUIRE(form);
  CHECK(expand(form->text) == text);
  CHECK(form->text.size() < text.size() / 2);
}

TEST_CASE("a law's slot gives what the law was found on") {
  CHECK(given("n", 7) == "7");
  CHECK(given("3n-5", 7) == "16");
  CHECK(given("n-9", 7) == "-2");
  CHECK(given("2n+1:04", 7) == "0015");
  CHECK(given("n,6", 7) == "     7");
  CHECK(given("n%3:0=x,1=y y,2=z", 7) == "y y");
  for (const char* other : {"", "x", "n+", "n:", "n,", "n%2:0=a", "n%x:0=a", "1"})
    CHECK_FALSE(LawSlot::read(other));
}

TEST_CASE("a match is as narrow as what the template was found on") {
  MadeValues made;
  const Template shape = timings(made, {"12", "7", "133", "red", "blue", "green"});
  CHECK(matches(shape, "took 95 ms on black"));
  CHECK_FALSE(matches(shape, "took 95 ms on black."));
  CHECK_FALSE(matches(shape, "took 9.5 ms on black"));
  CHECK_FALSE(matches(shape, "took 95 ms on black sheep"));
  CHECK_FALSE(matches(shape, "took 95 ms on "));
  CHECK_FALSE(matches(shape, "took 95 ms"));
  CHECK_FALSE(matches(shape, "took"));
}

TEST_CASE("where one value is usual, a match takes only those that were there") {
  MadeValues made;
  const Template shape = timings(made, {"12", "7", "133", "12", "red", "red", "blue", "red"});
  CHECK(matches(shape, "took 95 ms on blue"));
  CHECK_FALSE(matches(shape, "took 95 ms on black"));
}
