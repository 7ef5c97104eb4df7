#include "proxy/compact/writer_twins.h"

#include <catch2/catch.hpp>

#include <array>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/compact/cost.h"
#include "proxy/compact/writer_alert.h"
#include "proxy/compact/writer_split.h"

using namespace tare::compact;

namespace {

// Lines with few different bytes, so that twins are frequent; all that a scan tells apart is there.
class Lines {
 public:
  explicit Lines(unsigned seed) : random_(seed) {}

  std::string next() {
    static constexpr std::array<std::string_view, 16> pieces = {
        "7", "42", "error", "x",   "Err", " ",    "\t",       ".",
        "-", "\"", ":",     "{\"", "}",   "true", "\xC3\xA9", ","};
    std::string line;
    for (auto left = pick(pick(20) == 0 ? 200 : 14); left > 0; --left)
      line += pieces[pick(pieces.size())];
    return line;
  }

  // The same with other digits.
  std::string twin_of(std::string line) {
    for (char& c : line) {
      if (c >= '0' && c <= '9') c = static_cast<char>('0' + pick(10));
    }
    return line;
  }

 private:
  std::size_t pick(std::size_t below) { return random_() % below; }

  std::mt19937 random_;
};

// Each value's place in the line.
std::vector<std::pair<std::size_t, std::size_t>> places(std::string_view line,
                                                        std::span<const std::string_view> values) {
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (const std::string_view value : values)
    places.emplace_back(value.data() - line.data(), value.size());
  return places;
}

void check_alike(const Splitter& splitter, std::string_view a, std::string_view b) {
  REQUIRE(splitter.accepts(a) == splitter.accepts(b));
  if (!splitter.accepts(a)) return;
  std::vector<std::string_view> of_a;
  std::vector<std::string_view> of_b;
  const bool same_key = splitter.split(a, of_a) == splitter.split(b, of_b);
  if (!hold_all_digits(of_a, a)) return;
  CHECK(same_key);
  CHECK(places(a, of_a) == places(b, of_b));
}

}  // namespace

TEST_CASE("lines that differ in nothing but digits are twins") {
  CHECK(are_twins("", ""));
  CHECK(are_twins("a1", "a2"));
  CHECK(are_twins("12:00:01 a = 7", "23:59:58 a = 0"));
  CHECK(are_twins("the same bytes", "the same bytes"));
  CHECK_FALSE(are_twins("a1", "a11"));
  CHECK_FALSE(are_twins("a1", "b1"));
  // The bytes beside the digits, in each place of a word and behind the last whole one.
  for (const std::size_t size : {1U, 7U, 8U, 9U, 15U, 16U, 17U, 24U}) {
    for (std::size_t at = 0; at < size; ++at) {
      CAPTURE(size, at);
      std::string a(size, '5');
      std::string b(size, '0');
      CHECK(are_twins(a, b));
      for (const char other : {'/', ':', '\0', 'a', ' ', '\xB5', '\x80', '\xFF'}) {
        b[at] = other;
        CHECK_FALSE(are_twins(a, b));
        CHECK_FALSE(are_twins(b, a));
        a[at] = other;
        CHECK(are_twins(a, b));
        a[at] = '5';
      }
    }
  }
}

TEST_CASE("what holds for a line holds for its twins") {
  Lines lines(7);
  for (int i = 0; i < 3000; ++i) {
    const std::string a = lines.next();
    const std::string b = lines.twin_of(a);
    CAPTURE(a, b);
    REQUIRE(are_twins(a, b));
    CHECK(estimate(a) == estimate(b));
    CHECK(is_alert(a) == is_alert(b));
    if (a.empty()) continue;
    for (const Splitter* const splitter : splitters()) check_alike(*splitter, a, b);
    check_alike(fields(), a, b);
  }
}

TEST_CASE("a record's twin stands before it and has none itself") {
  Lines lines(11);
  std::vector<std::string> texts;
  for (int i = 0; i < 500; ++i)
    texts.push_back(i % 3 == 0 || texts.empty() ? lines.next() : lines.twin_of(texts.back()));
  const std::vector<std::string_view> records(texts.begin(), texts.end());
  const auto twins = find_twins(records, {});
  REQUIRE(twins.size() == records.size());
  std::size_t found = 0;
  for (std::size_t i = 0; i < twins.size(); ++i) {
    REQUIRE(twins[i] <= i);
    CHECK(are_twins(records[twins[i]], records[i]));
    CHECK(twins[twins[i]] == twins[i]);
    if (twins[i] < i) ++found;
  }
  CHECK(found > 300);
}

TEST_CASE("records of two kinds that take turns have their twins") {
  const std::vector<std::string_view> records = {"east 10", "west 11", "east 12", "west 13",
                                                 "east 14", "none 15", "west 16", "none 17"};
  CHECK(find_twins(records, {}) == std::vector<std::uint32_t>{0, 1, 0, 1, 0, 5, 6, 5});
}
