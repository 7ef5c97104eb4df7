// Forwarded texts made by hand, with known classes: each class and each trap, scored exactly.
#include "analysis/output_score.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/generated_texts.h"

using namespace tare::analysis;

namespace {

const std::string log_text =
    "2026-08-27 10:00:01 db start pid 4711\n"
    "2026-08-27 10:00:02 db ready port 5432\n"
    "2026-08-27 10:00:03 web start pid 4712\n"
    "2026-08-27 10:00:04 web ERROR token=abc_991\n"
    "2026-08-27 10:00:05 web stop\n";

std::string line_of(const std::string& text, std::size_t n) {
  std::size_t begin = 0;
  for (; n > 1; --n) begin = text.find('\n', begin) + 1;
  return text.substr(begin, text.find('\n', begin) + 1 - begin);
}

OutputScore score(const std::string& original, const std::string& forwarded) {
  return score_output({.original = original,
                       .forwarded = forwarded,
                       .decoded = std::nullopt,
                       .markers = {},
                       .retrieved = {}});
}

}  // namespace

TEST_CASE("what is forwarded as it was is kept whole") {
  const auto found = score(log_text, log_text);
  CHECK(found.lines == Standing{5, 5, 0, 0, 0});
  CHECK(found.literals.kept == found.literals.of);
  CHECK(found.literals.of > 0);
  CHECK(found.exact);
  CHECK(found.false_lines == 0);
  CHECK(found.moved == 0);
}

TEST_CASE("a line is kept as it stands, but for blanks at its end") {
  CHECK(score("a b\n  c d\n\n\t\n", "a b  \r\n  c d\t").lines == Standing{2, 2, 0, 0, 0});
  const auto stripped = score("a b\n  c d\n", "a b\nc d\n");
  CHECK(stripped.lines == Standing{2, 1, 0, 0, 1});
  CHECK(stripped.respelled == 1);
  CHECK(stripped.false_lines == 0);
}

TEST_CASE("a dropped middle is lost, and its statement is the arm's own") {
  const auto found =
      score(log_text, line_of(log_text, 1) + "[3 lines omitted]\n" + line_of(log_text, 5));
  CHECK(found.lines == Standing{5, 2, 0, 0, 3});
  CHECK(found.own_lines == 1);
  CHECK(found.false_lines == 0);
  CHECK(found.lost == std::vector<std::string>{"2026-08-27 10:00:02 db ready port 5432",
                                               "2026-08-27 10:00:03 web start pid 4712",
                                               "2026-08-27 10:00:04 web ERROR token=abc_991"});
}

TEST_CASE("what stands behind a marker is lost without a store, and recoverable with one") {
  const std::vector<std::string> markers{"<<ccr:0f3a>>"};
  const std::string forwarded = line_of(log_text, 1) + "<<ccr:0f3a>>\n";
  Evidence evidence{.original = log_text,
                    .forwarded = forwarded,
                    .decoded = std::nullopt,
                    .markers = markers,
                    .retrieved = {}};
  const auto lost = score_output(evidence);
  CHECK(lost.lines == Standing{5, 1, 0, 0, 4});
  CHECK(lost.own_lines == 1);
  CHECK(lost.false_lines == 0);
  SECTION("the store gives the whole") {
    const std::vector<std::string_view> retrieved{log_text};
    evidence.retrieved = retrieved;
    const auto found = score_output(evidence);
    CHECK(found.lines == Standing{5, 1, 0, 4, 0});
    CHECK(found.literals.lost == 0);
    CHECK(found.literals.recoverable == 3);
  }
  SECTION("the store gives a part") {
    const std::string part = line_of(log_text, 4);
    const std::vector<std::string_view> retrieved{part};
    evidence.retrieved = retrieved;
    CHECK(score_output(evidence).lines == Standing{5, 1, 0, 1, 3});
  }
}

TEST_CASE("a marker-like line that nothing is known of is not the arm's") {
  const auto found = score(log_text, line_of(log_text, 1) + "<<ccr:0f3a>>\n");
  CHECK(found.false_lines == 1);
}

TEST_CASE("what the arm's own decoder makes again is derivable, and nothing of it false") {
  const std::string forwarded = "~a = 2026-08-27 10:00:0{n} db\n~a\n";
  Evidence evidence{.original = log_text,
                    .forwarded = forwarded,
                    .decoded = log_text,
                    .markers = {},
                    .retrieved = {}};
  const auto found = score_output(evidence);
  CHECK(found.lines == Standing{5, 0, 5, 0, 0});
  CHECK(found.literals.derivable == found.literals.of);
  CHECK(found.exact);
  CHECK(found.false_lines == 0);
  SECTION("but a decoder that makes another text excuses nothing") {
    const std::string decoded = line_of(log_text, 1) + line_of(log_text, 2);
    evidence.decoded = decoded;
    const auto other = score_output(evidence);
    CHECK(other.lines == Standing{5, 0, 2, 0, 3});
    CHECK_FALSE(other.exact);
    CHECK(other.false_lines == 2);
  }
}

TEST_CASE("renumbered lines are lost, and false") {
  const auto found = score("12: alpha\n13: beta\n14: gamma\n", "12: alpha\n13: gamma\n");
  CHECK(found.lines == Standing{3, 1, 0, 0, 2});
  CHECK(found.false_lines == 1);
  CHECK(found.false_numbers == 1);
  CHECK(found.false_said == std::vector<std::string>{"13: gamma"});
}

TEST_CASE("lines that were numbered by the arm never stood so") {
  CHECK(score("alpha one\nbeta two\n", "1: alpha one\n2: beta two\n").false_lines == 2);
}

TEST_CASE("merged lines are lost, and false") {
  const auto found =
      score("alpha one\nbeta two\ngamma three\n", "alpha one beta two\ngamma three\n");
  CHECK(found.lines == Standing{3, 1, 0, 0, 2});
  CHECK(found.respelled == 2);
  CHECK(found.false_lines == 1);
  CHECK(found.false_numbers == 0);
}

TEST_CASE("a rewritten date is false") {
  auto forwarded = log_text;
  forwarded.replace(forwarded.find("2026-08-27 10:00:04"), 10, "2026-08-28");
  const auto found = score(log_text, forwarded);
  CHECK(found.lines == Standing{5, 4, 0, 0, 1});
  CHECK(found.false_lines == 1);
  CHECK(found.false_numbers >= 1);
}

TEST_CASE("a time that another line had is false with this line's words") {
  auto forwarded = log_text;
  forwarded.replace(forwarded.find("10:00:04"), 8, "10:00:03");
  const auto found = score(log_text, forwarded);
  CHECK(found.false_lines == 1);
  CHECK(found.false_said ==
        std::vector<std::string>{"2026-08-27 10:00:03 web ERROR token=abc_991"});
}

TEST_CASE("a context line turned into a match is false") {
  const auto found =
      score("src/a.c-11-int x;\nsrc/a.c:12:int y;\n", "src/a.c:11:int x;\nsrc/a.c:12:int y;\n");
  CHECK(found.lines == Standing{2, 1, 0, 0, 1});
  CHECK(found.false_lines == 1);
}

TEST_CASE("an added line of a diff turned into a removed one is false") {
  CHECK(score("+foo(bar)\n baz()\n", "-foo(bar)\n baz()\n").false_lines == 1);
}

TEST_CASE("a rounded number is false") {
  const auto found = score("loss 0.12345 after 3\n", "loss 0.12 after 3\n");
  CHECK(found.lines == Standing{1, 0, 0, 0, 1});
  CHECK(found.false_lines == 1);
  CHECK(found.false_numbers == 1);
}

TEST_CASE("a line that stood five times and is shown once") {
  const std::string original =
      "begin\nwait for it\nwait for it\nwait for it\nwait for it\n"
      "wait for it\nend\n";
  SECTION("with its count is kept five times") {
    for (const std::string counted :
         {"wait for it x5", "wait for it (x5)", "5x wait for it", "[x5] wait for it",
          "wait for it [5 times]", "wait for it (repeated 5 times)", "wait for it \u00d75"}) {
      const auto found = score(original, "begin\n" + counted + "\nend\n");
      INFO(counted);
      CHECK(found.lines == Standing{7, 7, 0, 0, 0});
      CHECK(found.false_lines == 0);
    }
  }
  SECTION("with a statement after it too") {
    const auto found = score(original, "begin\nwait for it\n[repeated 4 more times]\nend\n");
    CHECK(found.lines == Standing{7, 7, 0, 0, 0});
    CHECK(found.own_lines == 1);
  }
  SECTION("without its count is lost four times") {
    const auto found = score(original, "begin\nwait for it\nend\n");
    CHECK(found.lines == Standing{7, 3, 0, 0, 4});
    CHECK(found.false_lines == 0);
    CHECK(found.respelled == 0);
  }
  SECTION("with a higher count is false") {
    const auto found = score(original, "begin\nwait for it x6\nend\n");
    CHECK(found.lines == Standing{7, 2, 0, 0, 5});
    CHECK(found.false_lines == 1);
  }
}

TEST_CASE("copies that do not stand together lose their places with a count") {
  const auto found = score("tick\none\ntick\ntwo\ntick\n", "tick x3\none\ntwo\n");
  CHECK(found.lines == Standing{5, 3, 0, 0, 2});
  CHECK(found.false_lines == 0);
}

TEST_CASE("a line shown more often than it stood is extra") {
  const auto found = score("one\ntwo\n", "one\ntwo\none\n");
  CHECK(found.lines == Standing{2, 2, 0, 0, 0});
  CHECK(found.extra == 1);
  CHECK(found.false_lines == 0);
}

TEST_CASE("kept lines in another order are kept, and counted as moved") {
  CHECK(score("a1\nb2\nc3\nd4\n", "d4\na1\nb2\nc3\n").moved == 1);
  CHECK(score("a\nx\nb\nx\nc\n", "a\nx\nb\nx\nc\n").moved == 0);
  CHECK(score("a\nx\nb\nx\nc\n", "b\nx\nc\n").moved == 0);
}

TEST_CASE("a JSON row dropped silently is lost, and nothing of it false") {
  const std::string original =
      "[\n{\"id\": 1001, \"name\": \"ann_a\"},\n{\"id\": 1002, \"name\": \"bob_b\"},\n"
      "{\"id\": 1003, \"name\": \"cat_c\"}\n]\n";
  SECTION("line by line") {
    const auto found = score(original,
                             "[\n{\"id\": 1001, \"name\": \"ann_a\"},\n"
                             "{\"id\": 1003, \"name\": \"cat_c\"}\n]\n");
    CHECK(found.lines == Standing{5, 4, 0, 0, 1});
    CHECK(found.literals == Standing{6, 4, 0, 0, 2});
    CHECK(found.false_lines == 0);
  }
  SECTION("on one line") {
    const auto found = score(original, R"([{"id":1001,"name":"ann_a"},{"id":1003,"name":"cat_c"}])"
                                       "\n");
    CHECK(found.lines == Standing{5, 0, 0, 0, 5});
    CHECK(found.literals == Standing{6, 4, 0, 0, 2});
    CHECK(found.rearranged_lines == 1);
    CHECK(found.false_lines == 0);
  }
}

TEST_CASE("JSON whose keys are in another order is rearranged; with other values it is false") {
  const std::string original = R"([{"a":1,"b":2,"c":{"d":3}},{"a":4,"b":5,"c":{"d":6}}])";
  CHECK(score(original, R"([{"b":2,"a":1,"c":{"d":3}},{"c":{"d":6},"a":4,"b":5}])")
            .rearranged_lines == 1);
  CHECK(score(original, R"([{"b":2,"a":1},{"a":4}])").rearranged_lines == 1);
  CHECK(score(original, R"([{"b":1,"a":2}])").false_lines == 1);
  CHECK(score(original, R"([{"a":1,"b":5}])").false_lines == 1);
  CHECK(score(original, R"([{"a":1.0,"b":2}])").false_lines == 1);
}

TEST_CASE("a table made of JSON rows is rearranged; a row that no record holds is false") {
  const std::string original =
      R"([{"id":1001,"name":"ann","host":"a.example"},{"id":1002,"name":"bob","host":"b.example"}])";
  const auto table = score(original, "id,name,host\n1001,ann,a.example\n1002,bob,b.example\n");
  CHECK(table.lines == Standing{1, 0, 0, 0, 1});
  CHECK(table.rearranged_lines == 3);
  CHECK(table.false_lines == 0);
  CHECK(table.literals.kept == table.literals.of);
  CHECK(score(original, "id,name\n1001,bob\n").false_lines == 1);
}

TEST_CASE("a head of a table is the arm's own when its count and its names are true, else false") {
  const std::string original =
      R"({"rows":[{"id":1001,"host":"a.example"},{"id":1002,"host":"b.example"}],"n":7})";
  for (const std::string head : {"[2]{id,host}", "[2]{id,host}:", "[2]{host:string,id:int}"}) {
    INFO(head);
    const auto found = score(original, head + "\n1001,a.example\n1002,b.example\n");
    CHECK(found.false_lines == 0);
    CHECK(found.false_numbers == 0);
    CHECK(found.own_lines == 1);
    CHECK(found.rearranged_lines == 2);
  }
  for (const std::string head : {"[3]{id,host}", "[7]{id,host}", "[2]{id,port}", "[2]{}", "[x]{id}",
                                 "[2]{id,host", "[2] {id,host} are left"}) {
    INFO(head);
    CHECK(score(original, head + "\n1001,a.example\n1002,b.example\n").false_lines == 1);
  }
  // What is no JSON has no records to count.
  CHECK(score("id host\n1 a\n2 b\n", "[2]{id,host}\n1 a\n2 b\n").false_lines == 1);
}

TEST_CASE("a table inside JSON is judged row by row") {
  const std::string original =
      R"([{"id":1001,"name":"ann","at":{"major":2}},{"id":1002,"name":"bob","at":{"major":3}}])";
  const auto whole = score(
      original,
      R"({"_cols":["id","name","at"],"_rows":[[1001,"ann",{"major":2}],[1002,"bob",{"major":3}]]})");
  CHECK(whole.rearranged_lines == 1);
  CHECK(whole.false_lines == 0);
  CHECK(whole.false_numbers == 0);
  CHECK(score(original, R"({"_cols":["id","name"],"_rows":[[1001,"bob"],[1002,"ann"]]})")
            .false_lines == 1);
}

TEST_CASE("a count at the end of an indented line leaves the line what it is") {
  const auto found = score("top\n   from a.h:1,\n   from a.h:1,\n   from a.h:1,\nend\n",
                           "top\n   from a.h:1, [\u00d73]\nend\n");
  CHECK(found.lines == Standing{5, 5, 0, 0, 0});
  CHECK(found.false_lines == 0);
}

TEST_CASE("a statement in brackets of what was saved, or where it is to be had, is the arm's own") {
  const auto found = score("alpha\nbeta 12\n", "[squeezer: 30->12 tokens, 60% saved]\nalpha\n");
  CHECK(found.false_lines == 0);
  CHECK(found.own_lines == 1);
}

TEST_CASE("JSON laid out otherwise is not false") {
  const std::string original = "{\n  \"id\": 17,\n  \"tags\": [\n    \"x1\",\n    \"y2\"\n  ]\n}\n";
  const auto found = score(original, R"({"id":17,"tags":["x1","y2"]})");
  CHECK(found.false_lines == 0);
  CHECK(found.rearranged_lines == 1);
}

TEST_CASE("colours taken out: the line is another, and says nothing false") {
  const auto found =
      score("\x1b[32mPASS\x1b[0m test_\x1b[1mone\x1b[0m\nplain\n", "PASS test_one\nplain\n");
  CHECK(found.lines == Standing{2, 1, 0, 0, 1});
  CHECK(found.respelled == 1);
  CHECK(found.false_lines == 0);
}

TEST_CASE("a line cut short is lost, and says nothing false") {
  for (const std::string cut : {"alpha beta", "alpha beta gam...", "alpha be\u2026",
                                "alpha [2 words omitted] delta", "\u2026mma delta"}) {
    INFO(cut);
    const auto found = score("alpha beta gamma delta\nx\n", cut + "\nx\n");
    CHECK(found.lines == Standing{2, 1, 0, 0, 1});
    CHECK(found.false_lines == 0);
  }
  CHECK(score("alpha beta gamma delta\n", "alpha delta...\n").false_lines == 1);
  // A word cut in two without a mark is another word.
  CHECK(score("loss 0.12345\n", "loss 0.12\n").false_lines == 1);
  CHECK(score("loss 0.12345\n", "loss 0.12...\n").false_lines == 0);
  // Where the text breaks off, all see that it does.
  CHECK(score("loss 0.12345\nx\n", "loss 0.12").false_lines == 0);
  CHECK(score("loss 0.12345\nx\n", "loss 0.12\nx").false_lines == 1);
}

TEST_CASE("a cut that the next line tells of is marked, another line's is not") {
  const std::string cut = "2026-08-27 10:00:04 web ERROR tok\n";
  for (const char* mark : {"... 12 lines omitted", "[12 lines omitted]", "# 12 more", "[...]"}) {
    CAPTURE(mark);
    const auto found = score(log_text, cut + mark + "\n" + line_of(log_text, 5));
    CHECK(found.false_lines == 0);
    CHECK(found.own_lines == 1);
    CHECK(found.lines == Standing{5, 1, 0, 0, 4});
    // Not when another line or a gap is between, nor when the words never stood there.
    CHECK(score(log_text, cut + line_of(log_text, 5) + mark + "\n").false_lines == 1);
    CHECK(score(log_text, cut + "\n" + mark + "\n").false_lines == 1);
    CHECK(score(log_text, "2026-08-27 10:00:04 web ERROR kot\n" + std::string(mark) + "\n")
              .false_lines == 1);
  }
  CHECK(score(log_text, cut + "12 lines follow\n").false_lines == 2);
}

TEST_CASE("a number with separators of thousands is another number") {
  const std::string text = "served 1234567 requests\n";
  for (const char* spelled : {"served 1,234,567 requests\n", "served 1 234 567 requests\n",
                              "served 1_234_567 requests\n", "served 1.234.567 requests\n"}) {
    CAPTURE(spelled);
    const auto found = score(text, spelled);
    CHECK(found.lines == Standing{1, 0, 0, 0, 1});
    CHECK(found.false_lines == 1);
    CHECK(found.false_numbers >= 1);
    CHECK(found.literals.kept == 0);
  }
}

TEST_CASE("a line that is kept in a comment only is lost, however it is set apart") {
  for (const char* begin : {"# ", "// ", "... ", "[3 lines omitted] "}) {
    CAPTURE(begin);
    const auto found = score(log_text, begin + line_of(log_text, 4));
    CHECK(found.lines == Standing{5, 0, 0, 0, 5});
  }
  // A statement of omission may quote what it leaves out: the words are there, their lines are not.
  const auto quoted = score(log_text, "# 5 lines omitted, one of them with token=abc_991\n");
  CHECK(quoted.lines.lost == 5);
  CHECK(quoted.literals.kept < quoted.literals.of);
}

TEST_CASE("doubled lines keep no other line's place") {
  const std::string twice = line_of(log_text, 1) + line_of(log_text, 1);
  const auto found = score(log_text, twice + twice + line_of(log_text, 1));
  CHECK(found.lines == Standing{5, 1, 0, 0, 4});
  CHECK(found.extra == 4);
}

TEST_CASE("lines in reverse are kept and moved, all but one") {
  std::string reverse;
  for (std::size_t n = 5; n > 0; --n) reverse += line_of(log_text, n);
  const auto found = score(log_text, reverse);
  CHECK(found.lines == Standing{5, 5, 0, 0, 0});
  CHECK(found.moved == 4);
  CHECK_FALSE(found.exact);
}

TEST_CASE("a part of a line under a heading says nothing false") {
  const auto found =
      score("src/a.c:12:int y;\nsrc/a.c:14:int z;\n", "src/a.c\n12:int y;\n14:int z;\n");
  CHECK(found.lines == Standing{2, 0, 0, 0, 2});
  CHECK(found.false_lines == 0);
}

TEST_CASE("a sentence of the arm's own without a mark is false") {
  CHECK(score("alpha\nbeta\n", "alpha\nThe rest looks fine\n").false_lines == 1);
}

TEST_CASE("what the original says in brackets is not the arm's own") {
  const auto found = score("[3 lines omitted]\nx\n", "[3 lines omitted]\nx\n");
  CHECK(found.lines == Standing{2, 2, 0, 0, 0});
  CHECK(found.own_lines == 0);
}

TEST_CASE("an arm that drops lines has lost just these: generated texts") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    tare::test::Random random(seed);
    std::string original;
    std::string forwarded;
    std::size_t lines = 0;
    std::size_t dropped = 0;
    std::size_t dropped_ids = 0;
    for (std::size_t i = random.below(200); i > 0; --i) {
      const std::size_t kind = random.below(4);
      std::string line = kind == 0 ? "" : kind == 1 ? "tick" : "  step " + std::to_string(i % 7);
      if (kind == 3) line = "id_" + std::to_string(1000 + i) + " of run";
      const bool drop = random.one_in(3);
      original += line + "\n";
      if (!drop) forwarded += line + "\n";
      if (kind == 0) continue;
      ++lines;
      dropped += drop ? 1U : 0U;
      dropped_ids += drop && kind == 3 ? 1U : 0U;
    }
    const auto found = score(original, forwarded);
    INFO(seed);
    CHECK(found.lines == Standing{lines, lines - dropped, 0, 0, dropped});
    CHECK(found.literals.lost == dropped_ids);
    CHECK(found.false_lines == 0);
    CHECK(found.extra == 0);
    CHECK(found.moved == 0);
    CHECK(score(original, original).lines == Standing{lines, lines, 0, 0, 0});
    CHECK(score(original, "").lines == Standing{lines, 0, 0, 0, lines});
  }
}

TEST_CASE("colours in a forwarded line are no words") {
  CHECK(score("\x1b[32mPASS\x1b[0m  one 12\n", "\x1b[32mPASS\x1b[0m one 12\n").false_lines == 0);
}

TEST_CASE("an empty output keeps nothing, of an empty one all is kept") {
  CHECK(score(log_text, "").lines == Standing{5, 0, 0, 0, 5});
  CHECK(score("", "").exact);
  CHECK(score("", "").lines == Standing{});
}

TEST_CASE("examples are the first few") {
  std::string original;
  for (int i = 0; i < 50; ++i) original += "line " + std::to_string(i) + "\n";
  CHECK(score(original, "").lost.size() == most_examples);
}
