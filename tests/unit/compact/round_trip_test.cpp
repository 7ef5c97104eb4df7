#include <catch2/catch.hpp>

#include <string>

#include "proxy/compact/compact.h"
#include "tests/fuzz/laws.h"
#include "tests/support/generated_texts.h"

using tare::compact::compact;
using tare::compact::Level;
using tare::compact::Options;
using tare::test::broken_law;
using tare::test::make_text;
using tare::test::mutate;
using tare::test::Random;
using tare::test::text_classes;

namespace {

// What must hold for every text, at every level.
void check_law(const std::string& text, bool alerts_literal) {
  for (const Level level : {Level::plain, Level::standard, Level::full}) {
    const Options options{.min_bytes = 0, .alerts_literal = alerts_literal, .level = level};
    CAPTURE(level, text);
    CHECK(broken_law(text, options) == "");
    CHECK(compact(text, options).text == compact(text, options).text);
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
