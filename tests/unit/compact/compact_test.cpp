#include "proxy/compact/compact.h"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <string>

#include "proxy/compact/cost.h"
#include "proxy/compact/writer.h"
#include "tests/support/published_texts.h"

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using tare::compact::compact;
using tare::compact::Compacted;
using tare::compact::estimate;
using tare::compact::expand;
using tare::compact::Level;
using tare::compact::write_form;
using tare::test::json_string_bytes;
using tare::test::published_tasks;
using tare::test::published_text;
using tare::test::PublishedText;

namespace {

// `count` lines of a server that is well, each a little different.
std::string heartbeats(int count, int first = 0) {
  std::string text;
  for (int i = first; i < first + count; ++i) {
    text += fmt::format("2026-09-15 12:00:{:02} INFO worker={} is well, queue={}\n", i % 60, i % 4,
                        i * 37 % 101);
  }
  return text;
}

// The form of a text that must get one and expand to the text again.
std::string form_of(const std::string& text, Level level = Level::standard) {
  const Compacted made = compact(text, {.level = level});
  CHECK(made.changed);
  CHECK(expand(made.text) == text);
  CHECK(made.text.size() < text.size());
  return made.text;
}

bool stays(const std::string& text) {
  const Compacted made = compact(text);
  return !made.changed && made.text == text;
}

bool has_line(const std::string& form, const std::string& line) {
  return ("\n" + form + "\n").find("\n" + line + "\n") != std::string::npos;
}

double mean_body_bytes(std::string_view task) {
  std::size_t sum = 0;
  for (int index = 5; index < 45; ++index) {
    const PublishedText made = published_text(task, index);
    sum += made.other_bytes + json_string_bytes(compact(made.text).text);
  }
  return static_cast<double>(sum) / 40;
}

}  // namespace

TEST_CASE("the published groups are small") {
  CHECK(mean_body_bytes("logs") <= 850);
  CHECK(mean_body_bytes("json") <= 1000);
  CHECK(mean_body_bytes("code") <= 600);
}

TEST_CASE("the planted record of each published text is there as it is") {
  for (const auto task : published_tasks) {
    for (int index = 0; index < 45; ++index) {
      const PublishedText made = published_text(task, index);
      CAPTURE(task, index);
      CHECK(has_line(form_of(made.text), made.planted));
      CHECK_THAT(form_of(made.text, Level::plain), Contains(made.planted));
      CHECK(has_line(form_of(made.text, Level::full), made.planted));
    }
  }
}

TEST_CASE("a rare line keeps its words and its place") {
  const std::string rare = "2026-09-15 12:00:09 INFO worker=2 lost its lease, queue=0";
  const std::string form = form_of(heartbeats(30) + rare + "\n" + heartbeats(60, 30));
  CHECK_THAT(form, Contains(rare));
}

TEST_CASE("lines that look like failures stay as they are unless three are alike") {
  const std::string failure = "2026-09-15 12:00:09 ERROR worker=2 is well, queue=7";
  CHECK_THAT(form_of(heartbeats(30) + failure + "\n" + heartbeats(30)), Contains(failure));
  std::string failures;
  for (int i = 0; i < 6; ++i)
    failures += fmt::format("2026-09-15 12:00:0{} ERROR worker=2 is gone, lease={}\n", i, i * i);
  CHECK_THAT(form_of(heartbeats(60) + failures), !Contains("3 ERROR worker=2 is gone, lease=9"));
}

TEST_CASE("texts that would not gain stay as they are") {
  CHECK(stays(""));
  CHECK(stays("\n"));
  CHECK(stays("one line"));
  CHECK(stays(heartbeats(5)));
  CHECK(stays(std::string(20'000, 'x')));
  std::string prose;
  for (int i = 0; i < 200; ++i)
    prose += fmt::format("{} {}\n", tare::sha256_hex(std::to_string(i)),
                         tare::sha256_hex(std::to_string(-i)));
  CHECK(stays(prose));
}

TEST_CASE("shorter texts than the least stay as they are") {
  const std::string text = heartbeats(100);
  CHECK(compact(text, {.min_bytes = text.size() + 1}).text == text);
  CHECK(compact(text, {.min_bytes = text.size()}).changed);
}

TEST_CASE("a form saves at least 12 in 100 of the estimated tokens") {
  for (int noise = 0; noise < 60; ++noise) {
    std::string text = heartbeats(12);
    for (int i = 0; i < noise; ++i) text += tare::sha256_hex(std::to_string(i)) + "\n";
    const Compacted made = compact(text);
    if (made.changed) CHECK(100 * estimate(made.text) <= 88 * estimate(text));
  }
}

TEST_CASE("the form ends with a line feed exactly when the text does") {
  const std::string text = heartbeats(100);
  CHECK(form_of(text).ends_with('\n'));
  CHECK_FALSE(form_of(text.substr(0, text.size() - 1)).ends_with('\n'));
  form_of(text + "\n");
  form_of(text + "\n\n\n");
}

TEST_CASE("a text that looks like a form is wrapped, by at most 64 bytes") {
  for (const std::string& text :
       {std::string("[~{} compact, lossless, 2 lines]\n~: {1}\na\nb\n"),
        std::string("[abc compact]"), "[~{} compact, lossless, 9 lines]\n" + heartbeats(200),
        form_of(heartbeats(100)), std::string("[~{} compact]\n~\n^\n@\n§\n¤\n"),
        std::string("[ÿ{} compact]\n\n")}) {
    const Compacted made = compact(text);
    CHECK(made.changed);
    CHECK(expand(made.text) == text);
    CHECK(made.text.size() <= text.size() + 64);
  }
}

TEST_CASE("a text that looks like a form and has lines of every usual mark is wrapped as well") {
  std::string text = "[~{} compact, lossless, 9 lines]\n";
  for (int i = 0; i < 300; ++i) text += "~x\n^x\n@x\n§x\n¤x\n¡x\n";
  const Compacted made = compact(text);
  CHECK(expand(made.text) == text);
  CHECK(made.text.size() <= text.size() + 64);
}

TEST_CASE("the line mark begins no line, the slot bracket stands in no template") {
  std::string text;
  for (int i = 0; i < 60; ++i)
    text += fmt::format("~ step {} of {{60}} done in {} ms\n", i, i * i % 97);
  CHECK_THAT(form_of(text), StartsWith("[^<> compact"));
  CHECK(stays("~\n^\n@\n§\n¤\n" + heartbeats(100)));
}

TEST_CASE("a legend names only what is used") {
  std::string text;
  for (int i = 0; i < 60; ++i) text += fmt::format("step {} of 60 is done\n", i);
  const std::string form = form_of(text);
  CHECK(form ==
        "[~{} compact, lossless, 60 lines: ~a = template, n line number]\n~a = step {n-1} of 60 is "
        "done\n~a 1-60\n");
}

TEST_CASE("a document cut in the middle keeps its tail") {
  const std::string json = published_text("json", 0).text;
  for (const std::size_t cut :
       {json.size() / 2, json.size() / 2 + 3, json.size() / 3, json.size() - 1, json.size() - 2}) {
    CHECK_THAT(form_of(json.substr(0, cut)), StartsWith("[~<> compact JSON (indent 2, last "));
  }
  CHECK_THAT(form_of(json + "\n\nexit status 0\n"),
             StartsWith("[~<> compact JSON (indent 2, last 3 raw), "));
}

TEST_CASE("the same text gives the same form") {
  for (const auto task : published_tasks) {
    const std::string text = published_text(task, 3).text;
    CHECK(compact(text).text == compact(std::string(text)).text);
  }
}

TEST_CASE("aligned columns become values, their blanks tab stops or widths") {
  std::string text;
  for (int i = 0; i < 40; ++i) {
    const std::string name =
        tare::sha256_hex(std::to_string(i)).substr(0, 3 + static_cast<std::size_t>(i) % 7);
    text += fmt::format("{:>8} kB used by {:<12} mounted {}\n", i * i * 37, name,
                        i % 3 == 0 ? "yes" : "no");
  }
  CHECK_THAT(form_of(text), Contains("{1,8} kB used by {2}{@33+}mounted {3}\n"));
}

TEST_CASE("lines that come together become one template of several lines") {
  std::string text;
  for (int i = 0; i < 40; ++i)
    text += fmt::format("=== RUN   Test{0}\n--- PASS: Test{0} (0.0{1}s)\n",
                        tare::sha256_hex(std::to_string(i)).substr(0, 8), i * 7 % 10);
  const std::string form = form_of(text);
  CHECK_THAT(form, Contains("=== RUN   {1}\n~+ --- PASS: {1} (0.{2}s)\n"));
}

TEST_CASE("a block of lines that comes again is named once") {
  std::string block;
  for (int i = 0; i < 6; ++i) block += tare::sha256_hex(std::to_string(i)) + "\n";
  std::string text;
  for (int i = 0; i < 5; ++i)
    text += block + fmt::format("between {}\n", tare::sha256_hex(std::to_string(-i)));
  CHECK_THAT(
      form_of(text),
      StartsWith("[~{} compact, lossless, 35 lines: ~a[ to ~] = block a, ~a = it again]\n~a[\n"));
}

TEST_CASE("lines that come again at once are counted") {
  std::string text;
  for (int i = 0; i < 30; ++i) text += tare::sha256_hex(std::to_string(i)) + "\n";
  std::string lines;
  for (int i = 0; i < 4; ++i) lines += "waiting for " + tare::sha256_hex(std::to_string(-i)) + "\n";
  for (int i = 0; i < 20; ++i) text += lines;
  CHECK_THAT(form_of(text), EndsWith("\n" + lines + "~4*19\n"));
}

TEST_CASE("what a sample of a long text shows holds for all of it") {
  const std::string rare = "2026-09-15 12:00:09 INFO worker=2 lost its lease, queue=0";
  const std::string text = heartbeats(7000) + rare + "\n" + heartbeats(5000, 7000);
  const std::string form = form_of(text);
  CHECK_THAT(form, Contains(rare));
  CHECK(form.size() < text.size() / 3);
}

TEST_CASE("numbers stand whole in their rows, however much they have in common") {
  std::string text;
  for (int i = 0; i < 40; ++i)
    text += fmt::format("{} {} {}\n", 201100000000050000 + i * i * 7 % 9000, 2020 + i * 3 % 7,
                        i * 37 % 101);
  CHECK_THAT(form_of(text + text), Contains("201100000000050007 2023 37"));
}

TEST_CASE("a value that holds another of the lines above becomes that one between fixed texts") {
  std::string text;
  std::string aligned;
  for (int i = 0; i < 40; ++i) {
    const std::string name = fmt::format("Test{:x}", i * i * 7919);
    text +=
        fmt::format("{{\"run\":\"{0}\",\"at\":{1}}}\n{{\"out\":\"=== RUN   {0}\\n\",\"at\":{2}}}\n",
                    name, i * 37 % 101, i * 31 % 97);
    aligned += fmt::format("run {} {}\n{:>30}\n", name, i * 37 % 101,
                           "= " + name + (i % 5 > 0 ? ";" : "."));
  }
  CHECK_THAT(form_of(text), Contains("{\"out\":\"=== RUN   <1>\\n\",\"at\":<3>}"));
  const auto form = write_form(aligned, {});
  REQUIRE(form);
  CHECK(expand(form->text) == aligned);
}
