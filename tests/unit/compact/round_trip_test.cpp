#include <catch2/catch.hpp>

#include <string>

#include "proxy/compact/compact.h"
#include "proxy/compact/writer.h"
#include "tests/support/generated_texts.h"

using tare::compact::compact;
using tare::compact::expand;
using tare::compact::Level;
using tare::compact::looks_like_form;
using tare::compact::Options;
using tare::compact::write_form;
using tare::test::make_text;
using tare::test::mutate;
using tare::test::Random;
using tare::test::text_classes;

namespace {

// The writer's own form must be exact even where compact() would not use it.
void check_writer(const std::string& text, const Options& options) {
  const auto form = write_form(text, options);
  if (!form || expand(form->text) == text) return;
  CAPTURE(text, form->text);
  CHECK(expand(form->text) == text);
}

void check_compact(const std::string& text, const Options& options) {
  const auto made = compact(text, options);
  const bool again = compact(text, options).text == made.text;
  const bool exact = made.changed ? expand(made.text) == text : made.text == text;
  const bool smaller = !made.changed || looks_like_form(text) || made.text.size() < text.size();
  const bool told_apart = made.changed == looks_like_form(made.text);
  if (again && exact && smaller && told_apart) return;
  CAPTURE(text, made.text);
  CHECK(again);
  CHECK(exact);
  CHECK(smaller);
  CHECK(told_apart);
}

// What must hold for every text, at every level.
void check_law(const std::string& text, bool alerts_literal) {
  for (const Level level : {Level::plain, Level::standard, Level::full}) {
    const Options options{.min_bytes = 0, .alerts_literal = alerts_literal, .level = level};
    CAPTURE(level);
    check_writer(text, options);
    check_compact(text, options);
  }
}

}  // namespace

TEST_CASE("every class of text comes back exactly, its form smaller and the same each time") {
  for (const auto& kind : text_classes) {
    CAPTURE(kind.name);
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      Random random(seed);
      check_law(make_text(kind, random), seed % 2 == 0);
    }
  }
}

TEST_CASE(
    "so do JSON documents below each other, between other lines and in strings, and damaged") {
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    Random random(seed);
    std::string text = random.one_in(2) ? tare::test::generated::json_documents(random)
                                        : tare::test::generated::json_string(random);
    for (std::size_t changes = seed % 4; changes > 0; --changes)
      text = mutate(std::move(text), random);
    check_law(text, seed % 2 == 0);
  }
}

TEST_CASE("so do texts that hold the form's own marks, odd bytes and damage") {
  for (const auto& kind : text_classes) {
    CAPTURE(kind.name);
    for (std::uint64_t seed = 100; seed < 114; ++seed) {
      Random random(seed);
      std::string text = make_text(kind, random);
      for (std::size_t changes = random.below(6); changes > 0; --changes)
        text = mutate(std::move(text), random);
      check_law(text, seed % 2 == 0);
    }
  }
}
