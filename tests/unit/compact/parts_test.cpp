// Large texts of short lines: told part by part under one header.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "proxy/compact/compact.h"
#include "proxy/compact/writer.h"
#include "proxy/compact/writer_parts.h"
#include "tests/support/generated_texts.h"

using namespace tare::compact;
using tare::test::Random;

namespace {

constexpr std::size_t many = 30'000;  // lines: several parts

template <typename Line>
std::string lines_of(Line line) {
  std::string text;
  for (std::size_t i = 0; i < many; ++i) text += line(i) + "\n";
  return text;
}

// The form of the text at each level expands to it; the one of level standard.
std::string checked(const std::string& text) {
  REQUIRE(static_cast<std::size_t>(std::ranges::count(text, '\n')) > lines_in_part(text.size()));
  for (const Level level : {Level::plain, Level::standard, Level::full}) {
    for (const bool whole : {true, false}) {
      const std::string part = text.substr(0, text.size() - (whole ? 0 : 1));
      const auto form = write_form(part, {.level = level});
      REQUIRE(form.has_value());
      CHECK(expand(form->text, part.size()) == part);
      CHECK(form->text.size() < part.size());
    }
  }
  return write_form(text, {})->text;
}

}  // namespace

TEST_CASE("numbers by a law go on from part to part") {
  const std::string form = checked(lines_of([](std::size_t i) { return fmt::format("ab {}", i); }));
  CHECK(form.size() < 1000);
}

TEST_CASE("runs of the same line are told in each part") {
  CHECK(checked(std::string(many, '\n')).size() < 1000);
}

TEST_CASE("rows of one shape have a heading in each part") {
  Random random(1);
  checked(lines_of(
      [&](std::size_t i) { return fmt::format("job {} on n{}", random.below(100'000), i % 7); }));
}

TEST_CASE("a line that begins with the first mark makes another the mark of all parts") {
  const std::string text =
      lines_of([](std::size_t i) { return i == many - 9 ? "~odd" : fmt::format("ab {}", i); });
  CHECK(checked(text).starts_with("[^"));
}

TEST_CASE("a row that would begin with the mark leaves its part as it is") {
  Random random(2);
  checked(lines_of([&](std::size_t i) {
    return fmt::format("is {}{}", i > many / 2 && i % 3 == 0 ? "~" : "", random.below(100'000));
  }));
}

TEST_CASE("failures that are rare in the whole text stay literal in their part") {
  Random random(3);
  const std::string form = checked(lines_of([&](std::size_t i) {
    return fmt::format("step {} {}", random.below(10'000), i % 9'000 == 8'500 ? "failed" : "is ok");
  }));
  CHECK(form.find(" failed\n") != std::string::npos);
}

TEST_CASE("lines of a JSON string and records of JSON are told in parts too") {
  Random random(4);
  std::string inside;
  for (std::size_t i = 0; i < many; ++i) inside += fmt::format("job {}\\n", random.below(100'000));
  const std::string text = "{\"output\":\"" + inside + "\"}";
  const auto form = write_form(text, {});
  REQUIRE(form.has_value());
  CHECK(expand(form->text, text.size()) == text);
  checked(lines_of([&](std::size_t) { return fmt::format(R"({{"a":{}}})", random.below(1000)); }));
}

TEST_CASE("parts may refer to earlier outputs") {
  Random random(5);
  const std::string text = lines_of(
      [&](std::size_t) { return fmt::format("{:x}", random.between(1'000'000, 9'000'000)); });
  Earlier earlier;
  const std::string first = text.substr(0, text.size() / 2);
  earlier.add("call_1", first);
  const auto form = write_form(text, {}, &earlier);
  REQUIRE(form.has_value());
  CHECK(form->text.size() < text.size() * 2 / 3);
  CHECK(expand(form->text, text.size(), &earlier) == text);
}

TEST_CASE("what the parts of a form tell is summed up") {
  Random random(6);
  const std::string told = explain(lines_of(
      [&](std::size_t i) { return fmt::format("job {} on n{}", random.below(100'000), i % 7); }));
  CHECK(told.find("30000") != std::string::npos);
}
