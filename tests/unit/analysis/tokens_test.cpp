#include "analysis/tokens.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>

using tare::analysis::estimate_tokens;

TEST_CASE("each class of piece has its own length law") {
  CHECK(estimate_tokens("") == 0);
  CHECK(estimate_tokens("the") == Approx(1));
  CHECK(estimate_tokens(" request") == Approx(1.18));   // 1 + 0.06 (7 - 4)
  CHECK(estimate_tokens("heartbeat") == Approx(1.42));  // 1 + 0.07 (9 - 3)
  CHECK(estimate_tokens("ERROR") == Approx(1.48));      // 1 + 0.16 (5 - 2)
  CHECK(estimate_tokens("HTTPServer") == Approx(2.9));  // 2 + 0.15 (10 - 4)
  CHECK(estimate_tokens("_id") == Approx(1.25));        // 1 + 0.07 (2 - 1) + 0.18
  CHECK(estimate_tokens("1234567") == Approx(3));       // 123 456 7
  CHECK(estimate_tokens("{\"") == Approx(1));
  CHECK(estimate_tokens("--------") == Approx(1.5));  // 1 + 8 / 16
  CHECK(estimate_tokens("\n\n") == Approx(1));
  CHECK(estimate_tokens("\xE2\x82\xAC\xE2\x82\xAC") == Approx(6 / 3.3));
}

TEST_CASE("blanks before a word leave it one of them") {
  CHECK(estimate_tokens("    the") == Approx(2));
  CHECK(estimate_tokens("\n    the") == Approx(3));
}

TEST_CASE("any bytes have an estimate, in linear time") {
  std::string text;
  for (std::uint32_t i = 0; i < 1U << 16; ++i) {
    text += static_cast<char>(i * 2654435761U >> 24U);
  }
  CHECK(estimate_tokens(text) > 0);
  CHECK(estimate_tokens(std::string(1 << 20, 'a')) > 0);
  CHECK(estimate_tokens(std::string(1 << 20, ' ')) > 0);
}
