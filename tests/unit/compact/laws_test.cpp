#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "proxy/compact/compact.h"
#include "proxy/compact/writer_law.h"

using tare::compact::expand;
using tare::compact::Law;
using tare::compact::laws;

namespace {

// The slot that the first fitting law gives for values at the line numbers first, first + step,
// ...; empty when none does.
std::string slot_of(const std::vector<std::string_view>& values, std::uint32_t first = 1,
                    std::uint32_t step = 1) {
  std::vector<std::uint32_t> numbers;
  for (std::size_t i = 0; i < values.size(); ++i)
    numbers.push_back(first + step * static_cast<std::uint32_t>(i));
  std::string slot;
  for (const Law* law : laws()) {
    if (law->fit(values, numbers, slot)) return slot;
  }
  return "";
}

// What the reader makes of the slot on lines 1 to `count`.
std::string expanded(const std::string& slot, std::size_t count) {
  const auto text = expand(
      fmt::format("[~{{}} compact, lossless, {0} lines]\n~a = {{{1}}}\n~a 1-{0}", count, slot));
  return text ? *text : text.error().text();
}

}  // namespace

TEST_CASE("numbers that rise with the line number are a law") {
  CHECK(slot_of({"1", "2", "3", "4"}) == "n");
  CHECK(slot_of({"0", "1", "2", "3"}) == "n-1");
  CHECK(slot_of({"7", "17", "27", "37"}) == "10n-3");
  CHECK(slot_of({"-7", "-5", "-3", "-1"}) == "2n-9");
  CHECK(slot_of({"5", "6", "7", "8"}, 3, 2) == "");
  CHECK(slot_of({"5", "7", "9", "11"}, 3, 2) == "n+2");
  CHECK(slot_of({"999999999999999996", "999999999999999997", "999999999999999998",
                 "999999999999999999"}) == "n+999999999999999995");
}

TEST_CASE("numbers of one width keep their zeros") {
  CHECK(slot_of({"007", "008", "009", "010"}) == "n+6:03");
  CHECK(slot_of({"01", "03", "05", "07", "09", "11"}) == "2n-1:02");
}

TEST_CASE("values that return with a small period are a law") {
  CHECK(slot_of({"a", "b", "a", "b", "a", "b"}) == "n%2:0=b,1=a");
  CHECK(slot_of({"0", "1", "2", "0", "1", "2", "0", "1", "2"}) == "n%3:0=2,1=0,2=1");
  CHECK(slot_of({"a", "b", "a", "b", "a"}) == "");
  CHECK(slot_of({"a,", "b", "a,", "b", "a,", "b"}) == "");
  CHECK(slot_of({"é", "b", "é", "b", "é", "b"}) == "");
  CHECK(slot_of({"", "b", "", "b", "", "b"}) == "");
  CHECK(slot_of({"a", "a", "a", "a", "a", "a"}, 1, 2) == "");
}

TEST_CASE("numbers in any other spelling are no law") {
  CHECK(slot_of({"01", "2", "3", "4"}) == "");
  CHECK(slot_of({"+1", "+2", "+3", "+4"}) == "");
  CHECK(slot_of({"-0", "1", "2", "3"}) == "");
  CHECK(slot_of({"1.0", "2.0", "3.0", "4.0"}) == "");
  CHECK(slot_of({"098", "099", "100", "0101"}) == "");
  CHECK(slot_of({"1", "2", "3", "5"}) == "");
  CHECK(slot_of({"4", "3", "2", "1"}) == "");
  CHECK(slot_of({"1", "2", "3"}) == "");
  CHECK(slot_of({"1", "", "3", "4"}) == "");
  CHECK(slot_of({"9999999999999999991", "9999999999999999992", "9999999999999999993",
                 "9999999999999999994"}) == "");
}

TEST_CASE("the reader gives back what each law explains") {
  const std::vector<std::vector<std::string_view>> columns{
      {"1", "2", "3", "4"},
      {"-7", "-5", "-3", "-1", "1"},
      {"0097", "0098", "0099", "0100"},
      {"x", "y", "z", "x", "y", "z", "x", "y", "z"}};
  for (const auto& column : columns) {
    std::string text;
    for (const auto value : column) text += fmt::format("{}{}", text.empty() ? "" : "\n", value);
    CHECK(expanded(slot_of(column), column.size()) == text);
  }
}
