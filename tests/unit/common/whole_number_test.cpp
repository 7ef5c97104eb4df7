#include "common/whole_number.h"

#include <catch2/catch.hpp>

TEST_CASE("a whole number is digits that 64 bits hold") {
  for (const char* text : {"0", "007", "512", "18446744073709551615"}) {
    CHECK(tare::fault_of_whole_number(text).empty());
  }
  for (const char* text : {"", "-1", "-0", "+1", " 1", "1 ", "1.0", "1e3", "0x10", "many",
                           "18446744073709551616", "99999999999999999999"}) {
    CHECK_THAT(tare::fault_of_whole_number(text), Catch::Contains("\"" + std::string(text) + "\""));
  }
}
