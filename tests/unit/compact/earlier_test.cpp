#include "proxy/compact/earlier.h"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <string>

#include "proxy/compact/compact.h"
#include "tests/fuzz/laws.h"
#include "tests/support/generated_texts.h"

using Catch::Matchers::Contains;
using tare::compact::compact;
using tare::compact::Compacted;
using tare::compact::Earlier;
using tare::compact::expand;
using tare::compact::looks_like_form;
using tare::compact::Options;
using tare::compact::Treatment;
using tare::test::broken_law;
using tare::test::Random;

namespace {

// Lines with nothing in common that a template could win from.
std::string notes(int count, int first = 0) {
  std::string text;
  for (int i = first; i < first + count; ++i) {
    Random random(static_cast<std::uint64_t>(i));
    text += tare::test::generated::hex(random, 3) + " " + tare::test::generated::sentence(random) +
            "\n";
  }
  return text;
}

std::string referring(const std::string& text, const Earlier& earlier,
                      const Options& options = {}) {
  const Compacted made = compact(text, options, &earlier);
  CHECK(made.changed);
  CHECK(expand(made.text, text.size(), &earlier) == text);
  return made.text;
}

std::string error_of(const std::string& body, int lines, const Earlier& earlier,
                     std::size_t max_bytes = 1 << 20) {
  const auto text = expand(fmt::format("[~{{}} compact, lossless, {} lines]\n{}", lines, body),
                           max_bytes, &earlier);
  return text ? "no error, but: " + *text : text.error().message;
}

bool has_line(const std::string& form, const std::string& line) {
  return ("\n" + form + "\n").find("\n" + line + "\n") != std::string::npos;
}

}  // namespace

TEST_CASE("an output that came before is one line, with or without its last line feed") {
  const std::string text = notes(40);
  Earlier earlier;
  const std::string other = notes(10, 500);
  earlier.add("call_1", other);
  earlier.add("call_2", text);
  for (const std::string& again : {text, text.substr(0, text.size() - 1)}) {
    const std::string form = referring(again, earlier);
    CHECK(has_line(form, "~@call_2"));
    CHECK(form.size() < 150);
  }
  CHECK(compact(text, {}, &earlier).text != compact(text).text);
}

TEST_CASE("the first of equal outputs is referred to, so that no reference is to a reference") {
  const std::string text = notes(40);
  Earlier earlier;
  for (const char* name : {"a", "b", "c"}) earlier.add(name, text);
  CHECK(has_line(referring(text, earlier), "~@a"));
}

TEST_CASE("outputs equal but for a first, middle or last line keep only that line") {
  const std::string text = notes(60);
  Earlier earlier;
  const std::string with_header = "Wall time: 0.5 s\n" + text;
  earlier.add("toolu_01", with_header);
  const std::string first = referring("Wall time: 0.7 s\n" + text, earlier);
  CHECK(has_line(first, "Wall time: 0.7 s"));
  CHECK(has_line(first, "~@toolu_01 2-61"));
  const std::string middle = referring(notes(30) + "the odd one\n" + notes(30, 30), earlier);
  CHECK(has_line(middle, "~@toolu_01 2-31"));
  CHECK(has_line(middle, "the odd one"));
  CHECK(has_line(middle, "~@ 32-61"));
  const std::string last = referring(text + "exit status 1\n", earlier);
  CHECK(has_line(last, "~@toolu_01 2-61"));
  CHECK(has_line(last, "exit status 1"));
}

TEST_CASE("without an equal line the form is what it is without earlier outputs") {
  std::string rows;
  for (int i = 0; i < 60; ++i)
    rows += fmt::format("src/lib/part{}.cpp:{}: return {};\n", i, i * 7, i);
  Earlier earlier;
  CHECK(compact(rows, {}, &earlier).text == compact(rows).text);
  const std::string other = notes(40);
  earlier.add("x", other);
  CHECK(compact(rows, {}, &earlier).text == compact(rows).text);
}

TEST_CASE(
    "a reference that costs more than the lines, or than a template gives for them, is not made") {
  std::string rows;
  for (int i = 0; i < 200; ++i)
    rows += fmt::format("src/lib/part.cpp:{}: return get({});\n", i, i % 9);
  Earlier earlier;
  const auto scattered = [&] {  // each line stands between others
    std::string text;
    for (std::size_t at = 0; at < rows.size();) {
      const std::size_t end = rows.find('\n', at) + 1;
      text += rows.substr(at, end - at) + "unlike all the others " + std::to_string(at) + "\n";
      at = end;
    }
    return text;
  }();
  earlier.add("call_with_quite_a_long_name_as_they_have", scattered);
  CHECK(compact(rows, {}, &earlier).text == compact(rows).text);
}

TEST_CASE("nothing refers to a name that came twice or is no name") {
  const std::string text = notes(40);
  for (const char* name : {"", "two words", "quote\"", "caf\xC3\xA9", "line\nfeed"}) {
    Earlier earlier;
    earlier.add(name, text);
    CHECK(compact(text, {}, &earlier).text == compact(text).text);
  }
  Earlier earlier;
  earlier.add("same", text);
  const std::string other = notes(3);
  earlier.add("same", other);
  CHECK_FALSE(expand("[~{} compact, lossless, 1 lines]\n~@same", 1 << 20, &earlier));
  CHECK(compact(text, {}, &earlier).text == compact(text).text);
  Earlier longest;
  const std::string name(64, 'x');
  longest.add(name, text);
  CHECK(has_line(referring(text, longest), "~@" + name));
  Earlier too_long;
  const std::string longer(65, 'x');
  too_long.add(longer, text);
  CHECK(compact(text, {}, &too_long).text == compact(text).text);
}

TEST_CASE("with repeats_only a text is a whole earlier output or stays") {
  const std::string text = notes(40);
  Earlier earlier;
  earlier.add("read_1", text);
  CHECK(has_line(referring(text, earlier, {.treatment = Treatment::repeats_only}), "~@read_1"));
  const std::string longer = text + "one more\n";
  CHECK(compact(longer, {.treatment = Treatment::repeats_only}, &earlier).text == longer);
  CHECK(compact(text, {.treatment = Treatment::repeats_only}).text == text);
  std::string regular;
  for (int i = 0; i < 100; ++i) regular += fmt::format("the same line but for {}\n", i);
  CHECK(compact(regular).changed);
  CHECK_FALSE(compact(regular, {.treatment = Treatment::repeats_only}, &earlier).changed);
}

TEST_CASE(
    "with leave a text stays, though it repeats an earlier output, unless it looks like a form") {
  const std::string text = notes(40);
  Earlier earlier;
  earlier.add("read_1", text);
  const Options options{.treatment = Treatment::leave};
  CHECK(compact(text, options, &earlier).text == text);
  CHECK_FALSE(compact(text, options, &earlier).changed);
  const std::string form = compact(text, {}, &earlier).text;
  REQUIRE(looks_like_form(form));
  const Compacted wrapped = compact(form, options);
  CHECK(wrapped.changed);
  CHECK(expand(wrapped.text) == form);
}

TEST_CASE("every level may refer to earlier outputs") {
  using tare::compact::Level;
  const std::string text = notes(40);
  Earlier earlier;
  earlier.add("call_1", text);
  for (const Level level : {Level::plain, Level::standard, Level::full})
    CHECK(has_line(referring("new first line\n" + text, earlier, {.level = level}), "~@call_1"));
}

TEST_CASE("a reference is obeyed line by line, and only when it is right") {
  Earlier earlier;
  earlier.add("c", "one\ntwo\nthree\n");
  earlier.add("empty", "");
  const auto text = [&](int lines, const std::string& body) {
    const auto made =
        expand(fmt::format("[~{{}} compact, lossless, {} lines]\n{}", lines, body), 1000, &earlier);
    return made ? *made : made.error().message;
  };
  CHECK(text(3, "~@c") == "one\ntwo\nthree");
  CHECK(text(3, "~@c\n") == "one\ntwo\nthree\n");
  CHECK(text(3, "~@c 2-3\n~@ 1-1\n") == "two\nthree\none\n");
  CHECK(text(4, "~: <{1}>\nx\n~@c 2-2\ny\n~1*1") == "<x>\ntwo\n<y>\n<y>");
  CHECK(text(1, "~@empty\n") == "\n");
  CHECK_THAT(error_of("~@d", 3, earlier), Contains("'d'") && Contains("not here"));
  CHECK_THAT(error_of("~@", 3, earlier), Contains("no output is named"));
  CHECK_THAT(error_of("~@ 1-2", 2, earlier), Contains("no output is named"));
  CHECK_THAT(error_of("~@c\n~@", 3, earlier), Contains("lines such as"));
  for (const char* range : {" 0-1", " 3-2", " 1-4", " 4-4"})
    CHECK_THAT(error_of(std::string("~@c") + range, 3, earlier), Contains("of an output of 3"));
  for (const char* range : {" ", " 1", " 1-", " -1", " 1-2 ", " a-b", " 1-2,3"})
    CHECK_THAT(error_of(std::string("~@c") + range, 3, earlier), Contains("lines such as"));
  CHECK_THAT(error_of("~@c", 2, earlier), Contains("more lines than"));
  CHECK_THAT(error_of("~@c", 3, earlier, 10), Contains("limit"));
}

TEST_CASE("without the earlier outputs a reference is an error that names the missing one") {
  const std::string text = notes(40);
  Earlier earlier;
  earlier.add("call_1", text);
  const auto alone = expand(referring(text, earlier));
  REQUIRE_FALSE(alone);
  CHECK_THAT(alone.error().message, Contains("line 2") && Contains("call_1"));
  CHECK_THAT(alone.error().text(), Contains("same request"));
}

TEST_CASE("conversations of any texts come back, and no form changes when more is said") {
  using namespace tare::test;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Random random(seed);
    std::vector<std::string> texts;
    while (texts.size() < 8) {
      std::string text = make_text(random.pick(text_classes), random);
      if (!texts.empty() && random.one_in(2)) text = texts[random.below(texts.size())];
      if (random.one_in(2)) text = "run " + std::to_string(random.below(99)) + "\n" + text;
      for (std::size_t changes = random.below(3); changes > 0; --changes)
        text = mutate(std::move(text), random);
      texts.push_back(std::move(text));
    }
    Earlier earlier;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < texts.size(); ++i) names.push_back("call_" + std::to_string(i));
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const std::string& text = texts[i];
      const Options options{.min_bytes = 0, .level = static_cast<tare::compact::Level>(seed % 3)};
      const auto made = compact(text, options, &earlier);
      Earlier again;
      for (std::size_t j = 0; j < i; ++j) again.add(names[j], texts[j]);
      CAPTURE(seed, i, text, made.text);
      CHECK(broken_law(text, options, &earlier) == "");
      CHECK(compact(text, options, &again).text == made.text);
      earlier.add(names[i], text);
    }
  }
}
