// Parts of records, short and long ones.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <string>
#include <string_view>

#include "proxy/compact/compact.h"
#include "proxy/compact/writer_part.h"

using tare::compact::Part;
using tare::compact::Parts;

namespace {

bool equal(Part a, Part b) {
  return a.begin == b.begin && a.bytes == b.bytes;
}

}  // namespace

TEST_CASE("a part of a record is what it was made of") {
  const std::string_view record = "level=warn id=77";
  CHECK(Part::of(record, record.substr(6, 4)).in(record) == "warn");
  CHECK(Part::of(record, record.substr(record.size())).in(record).empty());
}

TEST_CASE("parts stay what they are once one needs more room") {
  constexpr Part longest_short{65'535, 65'535};
  for (const Part large : {Part{65'536, 1}, Part{1, 65'536}, Part{4'000'000'000, 200'000'000}}) {
    Parts parts;
    parts.push_back({0, 0});
    parts.push_back(longest_short);
    parts.repeat(0, 2);
    parts.push_back(large);
    parts.push_back({7, 3});
    parts.repeat(3, 2);
    REQUIRE(parts.size() == 8);
    CHECK(equal(parts[0], {0, 0}));
    CHECK(equal(parts[1], longest_short));
    CHECK(equal(parts[3], longest_short));
    CHECK(equal(parts[4], large));
    CHECK(equal(parts[5], {7, 3}));
    CHECK(equal(parts[6], longest_short));
    CHECK(equal(parts[7], large));
    parts.truncate(5);
    REQUIRE(parts.size() == 5);
    CHECK(equal(parts[4], large));
    parts.clear();
    CHECK(parts.size() == 0);
    parts.push_back({7, 3});
    CHECK(equal(parts[0], {7, 3}));
  }
}

TEST_CASE("values far out in long lines come back") {
  const std::string filling(70'000, 'x');
  std::string text;
  for (int i = 0; i < 12; ++i)
    text += fmt::format("{{\"body\":\"{}\",\"id\":{},\"name\":\"n-{}\"}}\n", filling, i * i, i % 5);
  for (int i = 0; i < 12; ++i) text += fmt::format("short {} of {}\n", i * 7 % 5, i * i);
  const auto made = tare::compact::compact(text);
  CHECK(made.changed);
  CHECK(made.text.size() < text.size() / 8);
  CHECK(tare::compact::expand(made.text) == text);
}
