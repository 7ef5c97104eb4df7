#include "proxy/compact/cost.h"

#include <catch2/catch.hpp>

using tare::compact::estimate;

TEST_CASE("the estimate counts what a vocabulary would join") {
  CHECK(estimate("") == 0);
  CHECK(estimate("word") == 1070);
  CHECK(estimate(" word") == 1000);  // a blank goes with the word behind it
  CHECK(estimate("a b c") == 3000);
  CHECK(estimate("1234567") == 3000);  // digits in threes
  CHECK(estimate("HTTP") == 1320);
  CHECK(estimate("....") == 1062);  // a rule of one byte
  CHECK(estimate("=>[{") == 1360);
  CHECK(estimate("\n\n    x") == 3000);  // line ends, blanks but the last, the word with it
  CHECK(estimate("日本") == 1818);       // by bytes
}

TEST_CASE("the estimate of a text is about that of its parts") {
  const std::string_view line = "2026-05-01T10:00:00Z INFO worker=3 took 17 ms";
  std::string text;
  for (int i = 0; i < 100; ++i) text.append(line).append("\n");
  CHECK(estimate(text) == 100 * (estimate(line) + 1000));
}
