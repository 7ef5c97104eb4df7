#include "proxy/compact/writer_split.h"

#include <catch2/catch.hpp>

#include <string_view>
#include <vector>

#include "tests/support/generated_texts.h"

using tare::compact::fields;
using tare::compact::max_fields;
using tare::compact::Splitter;
using tare::compact::splitters;

namespace {

struct Seen {
  std::uint64_t key = 0;
  std::vector<std::string_view> values;
};

Seen see(const Splitter& splitter, std::string_view line) {
  Seen seen;
  seen.key = splitter.split(line, seen.values);
  return seen;
}

// The values the first splitter that takes the line finds.
Seen see(std::string_view line) {
  for (const Splitter* splitter : splitters()) {
    if (splitter->accepts(line)) return see(*splitter, line);
  }
  return {};
}

using Values = std::vector<std::string_view>;

}  // namespace

TEST_CASE("every splitter finds values inside the line, in order and apart") {
  std::vector<const Splitter*> all(splitters().begin(), splitters().end());
  all.push_back(&fields());
  for (const auto& kind : tare::test::text_classes) {
    tare::test::Random random(7);
    for (const auto& line : tare::test::generated::split(make_text(kind, random))) {
      for (const Splitter* splitter : all) {
        if (line.empty() || !splitter->accepts(line)) continue;
        const char* at = line.data();
        bool inside = true;
        for (const std::string_view value : see(*splitter, line).values) {
          inside = inside && value.data() >= at &&
                   value.data() + value.size() <= line.data() + line.size();
          at = value.data() + value.size();
        }
        CAPTURE(line);
        CHECK(inside);
      }
    }
  }
}

TEST_CASE("lines that differ in their values only have one key") {
  CHECK(see("at 10:02 worker=3 is up").key == see("at 11:45 worker=17 is down").key);
  CHECK(see("at 10:02 worker=3 is up").key != see("at 10:02 worker=3 is up.").key);
  CHECK(see(R"({"id":1,"v":"a"})").key == see(R"({"id":22,"v":null})").key);
  CHECK(see(R"({"id":1,"v":"a"})").key != see(R"({"id":1,"w":"a"})").key);
}

TEST_CASE("JSON values are leaves, keys are not, text in strings does not count") {
  CHECK(see(R"({"id":1,"s":"a\"b:2","n":null,"o":{"x":-1.5e3}})").values ==
        Values{"1", R"("a\"b:2")", "null", "-1.5e3"});
  CHECK(see(R"({"id": 1, "ok": true})").values == Values{"1", "true"});
  CHECK(see(R"("key":{"x":"y"})").values == Values{R"("key")", R"("y")"});
  CHECK(see(R"({"id":1,"open":"no end)").values == Values{"1"});
}

TEST_CASE("lines that only begin with a bracket are words") {
  CHECK(see("[INFO] 3 done").values == Values{"INFO", "3", "done"});
  CHECK(see("{x}").values == Values{"x"});
}

TEST_CASE("fields are what stands between blanks, up to a number of them") {
  CHECK(see(fields(), "  a-b\tc,d   e ").values == Values{"a-b", "c,d", "e"});
  CHECK(see(fields(), "1 2 3 4 5 6 7 8 9 10 11 12 13").values.size() == max_fields);
}
