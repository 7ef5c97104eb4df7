#include "analysis/literals.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace tare::analysis;
using Words = std::vector<std::string_view>;

TEST_CASE("a word is a run of letters, digits and inner signs") {
  CHECK(words_of("").empty());
  CHECK(words_of(" --, ").empty());
  CHECK(words_of("src/a.cpp:12: error, in f()") == Words{"src/a.cpp", "12", "error", "in", "f"});
  CHECK(words_of("./x/ -y- name@host") == Words{"x", "y", "name@host"});
  CHECK(words_of("größe=\"a-b\"") == Words{"größe", "a-b"});
}

TEST_CASE("distinctive are words that occur once or twice and tell one thing from another") {
  CHECK(distinctive_literals("error in file_a and src/b at 1234, id 12") ==
        Words{"file_a", "src/b", "1234"});
  CHECK(distinctive_literals("camelCase Capital ALLCAPS 0f3a9c") == Words{"camelCase", "0f3a9c"});
  CHECK(distinctive_literals("a_1b a_1b c_2d c_2d c_2d") == Words{"a_1b"});
}
