#include "analysis/utf8.h"

#include <catch2/catch.hpp>
#include <string>

using tare::analysis::code_point_at;
using tare::analysis::well_formed;

namespace {
const std::string mark = "\xEF\xBF\xBD";  // U+FFFD
}

TEST_CASE("well-formed text stays as it is") {
  for (const std::string text : {"", "abc", "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80", "\xEF\xBF\xBD",
                                 "\xED\x9F\xBF\xEE\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    CHECK(well_formed(text) == text);
  }
  CHECK(code_point_at("\xF0\x9F\x98\x80", 0).code == 0x1F600);
  CHECK(code_point_at("a\xE2\x82\xAC", 1).bytes == 3);
}

TEST_CASE("each longest part of a sequence that could have been one is one U+FFFD") {
  CHECK(well_formed("\xFF\xFE") == mark + mark);
  CHECK(well_formed("\x80") == mark);             // a following byte alone
  CHECK(well_formed("\xC0\xAF") == mark + mark);  // too long a spelling
  CHECK(well_formed("\xE0\x80\xAF") == mark + mark + mark);
  CHECK(well_formed("\xED\xA0\x80") == mark + mark + mark);  // a surrogate
  CHECK(well_formed("\xF4\x90\x80\x80") == mark + mark + mark + mark);
  CHECK(well_formed("\xE2\x82z") == mark + "z");
  CHECK(well_formed("\xF0\x9F\x98") == mark);  // cut
  CHECK(well_formed("\xF0\x9F\xC3\xA4") == mark + "\xC3\xA4");
}
