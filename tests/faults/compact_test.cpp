// Content that broke other proxies of this kind. Each case builds a whole kind of text, in several
// sizes and with both line ends, and states what must hold: the text comes back, the form is
// smaller, and nothing shown is false.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/compact/compact.h"
#include "proxy/compact/cost.h"
#include "tests/fuzz/laws.h"

using Catch::Matchers::Contains;
using tare::compact::compact;
using tare::compact::Earlier;
using tare::compact::estimate;
using tare::compact::expand;
using tare::compact::Level;
using tare::compact::looks_like_form;
using tare::compact::Options;

namespace {

std::string repeat(int count, auto&& line) {
  std::string text;
  for (int i = 0; i < count; ++i) text += line(i);
  return text;
}

bool exact(const std::string& text, const Options& options, const Earlier* earlier) {
  const auto made = compact(text, options, earlier);
  const bool grows =
      made.changed && !looks_like_form(text) && estimate(made.text) >= estimate(text);
  return !grows && compact(text, options, earlier).text == made.text &&
         tare::test::broken_law(text, options, earlier).empty();
}

// At every level, alone and below an output that has most of its lines.
bool exact(const std::string& text) {
  const std::size_t middle = text.find('\n', text.size() / 2);
  const std::string like = "another first line\n" + text.substr(0, middle) + "\nanother line" +
                           (middle == std::string::npos ? "" : text.substr(middle));
  Earlier earlier;
  earlier.add("call_1", like);
  for (const Level level : {Level::plain, Level::standard, Level::full}) {
    const Options options{.min_bytes = 0, .level = level};
    if (!exact(text, options, nullptr) || !exact(text, options, &earlier)) return false;
  }
  return true;
}

// The kind in one text, without its last line feed, with more of them, and with CR LF.
void check_exact(const std::string& text) {
  std::string crlf;
  for (const char c : text) crlf += c == '\n' ? "\r\n" : std::string(1, c);
  for (const std::string& each :
       {text, text.substr(0, text.size() - 1), text + "\n\n", crlf, text + text}) {
    CAPTURE(each);
    CHECK(exact(each));
  }
}

// The line is in the form of the text as it is.
void check_literal(const std::string& text, const std::string& line) {
  const auto made = compact(text);
  CHECK(made.changed);
  CHECK(expand(made.text) == text);
  CHECK_THAT(made.text, Contains(line));
}

}  // namespace

TEST_CASE("the same output twice; outputs equal but for a header line or one in the middle") {
  for (const int count : {30, 300}) {
    const auto body = [&](const char* odd) {
      return repeat(count, [&](int i) {
        if (i == count / 2) return fmt::format("{}\n", odd);
        return fmt::format("{:x} of {:x}\n", i * 7919, (i * i + 7) % 1013 * 104729);
      });
    };
    const std::string first = "Chunk ID: 1f2e\nWall time: 0.41 seconds\n" + body("the usual");
    const std::string head = "Chunk ID: 77aa\nWall time: 0.39 seconds\n" + body("the usual");
    const std::string middle = "Chunk ID: 1f2e\nWall time: 0.41 seconds\n" + body("FATAL now");
    Earlier earlier;
    earlier.add("call_A", first);
    for (const auto& [text, lines] : std::vector<std::pair<std::string, int>>{
             {first, 2}, {head, 4}, {middle, 4}, {first + "exit status 1\n", 3}}) {
      const auto made = compact(text, {}, &earlier);
      CAPTURE(made.text);
      CHECK(made.changed);
      CHECK(std::count(made.text.begin(), made.text.end(), '\n') == lines);
      CHECK(expand(made.text, text.size(), &earlier) == text);
      CHECK_FALSE(expand(made.text));
    }
    CHECK_THAT(compact(head, {}, &earlier).text, Contains("\nWall time: 0.39 seconds\n"));
    CHECK_THAT(compact(middle, {}, &earlier).text, Contains("\nFATAL now\n"));
  }
}

TEST_CASE("grep rows: several hits in a file, long equal text, drive letters") {
  for (const int count : {3, 40, 200}) {
    check_exact(repeat(count, [](int i) {
      return fmt::format("src/a_{}.cpp:{}:  return parse(input, flags);\n", i / 7, i * 3 + 1);
    }));
    check_exact(repeat(count, [](int i) {
      return fmt::format("C:\\work\\src\\a{}.cpp:{}:  value = {};\n", i / 5, i + 1, i % 3);
    }));
    check_exact(repeat(count, [](int i) {
      return fmt::format("logs/2026-05-{:02}/app.log:{}:started\n", i % 28 + 1, i * 10);
    }));
  }
}

TEST_CASE("grep with context: separators and lines of the kind path-12-") {
  for (const int count : {2, 30}) {
    check_exact(repeat(count, [](int i) {
      return fmt::format(
          "a-b/c-{0}.py-{1}-  before\na-b/c-{0}.py:{2}:  def f{0}():\na-b/c-{0}.py-{3}-  "
          "after\n--\n",
          i, i * 9 + 1, i * 9 + 2, i * 9 + 3);
    }));
  }
}

TEST_CASE("stamps at the beginning of a line are no file:line:") {
  check_exact(repeat(80, [](int i) {
    return fmt::format("Aug 27 10:{:02}:{:02} host proc[{}]: state {}\n", i / 60, i % 60,
                       700 + i % 3, i * 7 % 5);
  }));
  check_exact(repeat(80, [](int i) {
    return fmt::format("2026-05-01T10:00:{:02}.{:03}Z proc: state {}\n", i % 60, i * 37 % 1000,
                       i % 4);
  }));
}

TEST_CASE("several outputs in one text, with a status line") {
  const std::string list = repeat(30, [](int i) {
    return fmt::format("-rw-r--r-- 1 u u {:6} May  1 10:00 file{}.txt\n", i * i * 31, i);
  });
  const std::string rows = repeat(
      30, [](int i) { return fmt::format("src/x.cpp:{}: warning: unused v{}\n", i * 4, i); });
  check_exact(list + rows + "exit status 1\n" + list);
  check_exact(rows + R"({"a": [1, 2, 3], "b": {"c": null}})" + "\n" + list);
}

TEST_CASE("JSON cut anywhere in the middle") {
  std::string text = "[\n";
  text += repeat(12, [](int i) {
    return fmt::format(
        "  {{\n    \"id\": {},\n    \"tags\": [\n      \"a\",\n      \"\\u00e9\"\n    ],\n    "
        "\"note\": \"x, {{y}}: [z]\"\n  }},\n",
        i);
  });
  for (std::size_t end = 0; end < text.size(); end += 1 + end / 40) {
    CAPTURE(end);
    CHECK(exact(text.substr(0, end)));
  }
}

TEST_CASE("JSON objects joined by blanks or line ends, banners around, JSON in strings") {
  const auto record = [](int i) {
    return fmt::format(R"({{"id": {}, "ok": {}, "name": "n{}"}})", i, i % 2 == 0, i * 5 % 7);
  };
  check_exact(repeat(50, [&](int i) { return record(i) + "\n"; }));
  check_exact(repeat(50, [&](int i) { return record(i) + " "; }) + "\n");
  check_exact("$ curl -s http://127.0.0.1/x\n[" +
              repeat(50, [&](int i) { return (i > 0 ? ", " : "") + record(i); }) + "]\ndone\n");
  check_exact("[" +
              repeat(50,
                     [](int i) {
                       return fmt::format(R"({}{{"body":"{{\"id\":{},\"x\":[1,\"\\n\"]}}"}})",
                                          i > 0 ? "," : "", i);
                     }) +
              "]\n");
}

TEST_CASE("JSON documents below each other, between lines of another kind, in each layout") {
  struct Layout {
    const char* open;
    const char* before;
    const char* colon;
    const char* close;
  };
  const std::vector<Layout> layouts{{"{", "", ":", "}"},
                                    {"{", "", ": ", "}"},
                                    {"{\n", "  ", ": ", "\n}"},
                                    {"{\n", "\t", ": ", "\n}"},
                                    {"{\n", " ", " : ", "\n}"}};
  for (const auto& [open, before, colon, close] : layouts) {
    const std::string comma = *before != 0 ? ",\n" : *(colon + 1) != 0 ? ", " : ",";
    const auto documents = [&](int count) {
      return repeat(count, [&](int i) {
        return fmt::format(
            "{0}{1}\"id\"{2}{3}{4}{1}\"path\"{2}\"/srv/x{5}\"{4}{1}\"ok\"{2}{6}{7}\n", open, before,
            colon, i * 7919 % 1013, comma, i * 31 % 17, i % 3 == 0 ? "null" : "true", close);
      });
    };
    check_exact(documents(1));
    check_exact(documents(40));
    check_exact("$ get one\n[INFO] asked\n" + documents(40) + "exit status 1\n");
    check_exact(documents(20) + "[]\n{}\n" + documents(20) + "\n" + documents(3));
    check_literal("$ get one\n[INFO] asked\n" + documents(40) + "ERROR the disk is full\n",
                  "ERROR the disk is full\n");
    const auto made = compact("[INFO] asked\n" + documents(40));
    if (*before != 0) CHECK_THAT(made.text, Contains(", several documents, first 1 raw)"));
    for (std::size_t end = 0; end < 400; end += 7) CHECK(exact(documents(20).substr(0, end)));
  }
}

TEST_CASE("indented JSON with arrays on one line, cut anywhere, mixed with other ways") {
  const auto records = [](const char* indent, const char* tags) {
    return repeat(30, [&](int i) {
      return fmt::format(
          "{0}{{\n{0}{0}\"id\": {1},\n{0}{0}\"tags\": {2},\n{0}{0}\"at\": [{1}, 2.50, "
          "\"{{}}\"]\n{0}}}{3}\n",
          indent, i * 7919 % 1013, tags, i == 29 ? "" : ",");
    });
  };
  for (const char* indent : {"  ", "\t", "    "}) {
    for (const char* tags :
         {"[]", "[\"a\", null]", "[\"a\",null]", "[ 1 ]", "[{\"b\": 1}]", "[[1], [2]]"}) {
      const std::string text = "[\n" + records(indent, tags) + "]\n";
      check_exact(text);
      check_exact("$ get\n" + text + "done\n");
      for (std::size_t end = 0; end < text.size(); end += 1 + end / 9)
        CHECK(exact(text.substr(0, end)));
    }
    CHECK_THAT(compact("[\n" + records(indent, "[\"a\", null]") + "]\n").text, Contains(" flat)"));
  }
}

TEST_CASE("a text or JSON inside a JSON string, in each layout, cut, and in other spellings") {
  const std::string log = repeat(60, [](int i) {
    return fmt::format("GET /item/{} \\\"took\\\" {} ms\\t\\u0001\\n", i * 7919 % 1013,
                       i * 31 % 17);
  });
  const std::string rows =
      "[" +
      repeat(60,
             [](int i) {
               return fmt::format(R"({}{{\"id\":{},\"on\":{}}})", i > 0 ? "," : "", i * 7919 % 1013,
                                  i % 3 > 0);
             }) +
      "]";
  for (const std::string& inside :
       {log, log + "ERROR the disk is full", rows, "$ get\\n" + rows + "\\nok"}) {
    const std::vector<std::string> texts{
        R"({"content":[{"type":"text","text":")" + inside + R"("}],"isError":false})",
        "{\n  \"content\": [\n    \"" + inside + "\"\n  ]\n}", "[\"" + inside + "\"]"};
    for (const std::string& text : texts) {
      check_exact(text + "\n");
      CHECK_THAT(compact(text).text, Contains(" inside a JSON string"));
      check_exact(text.substr(0, text.size() / 2) + "\n");
      check_exact("{\"x\":\"\\/\\u00e9\\u000A" + text.substr(10) + "\n");
    }
  }
  check_literal("{\"text\":\"" + log + "ERROR the disk is full\\n" + log + "\"}",
                "ERROR the disk is full\n");
}

TEST_CASE(
    "JSON rows mixing null, empty strings and missing keys; many nulls; scalars; long strings") {
  check_exact(
      "[" +
      repeat(60,
             [](int i) {
               const char* value = i % 3 == 0 ? R"(,"v":null)" : i % 3 == 1 ? R"(,"v":"")" : "";
               return fmt::format(R"({}{{"id":{}{}}})", i > 0 ? "," : "", i, value);
             }) +
      "]\n");
  check_exact(
      "{" +
      repeat(80, [](int i) { return fmt::format("{}\n  \"key{}\": null", i > 0 ? "," : "", i); }) +
      "\n}\n");
  check_exact("[" +
              repeat(120,
                     [](int i) {
                       return fmt::format("{}\n  \"value {}\"", i > 0 ? "," : "", i * 17 % 23);
                     }) +
              "\n]\n");
  check_exact("[" +
              repeat(10,
                     [](int i) {
                       return fmt::format(R"({}{{"id":{},"text":"{}"}})", i > 0 ? "," : "", i,
                                          std::string(513, static_cast<char>('a' + i)));
                     }) +
              "]\n");
}

TEST_CASE("JSON values keep their spelling") {
  const std::vector<std::string_view> spellings{"1.0",
                                                "1.00",
                                                "1e5",
                                                "1E5",
                                                "-0",
                                                "-0.0",
                                                "19.90",
                                                "9007199254740993",
                                                "123456789012345678901234567890",
                                                "\"\\/\"",
                                                "\"\\u00e9\"",
                                                "\"é\"",
                                                "\"\\ud83d\"",
                                                "\"\\\"\"",
                                                "0.1e-7"};
  for (const std::string_view separator : {": ", ":", " : "}) {
    check_exact("[\n" +
                repeat(45,
                       [&](int i) {
                         return fmt::format(
                             "  {{\n    \"id\"{0}{1},\n    \"v\"{0}{2}\n  }}{3}\n", separator, i,
                             spellings[static_cast<std::size_t>(i) % spellings.size()],
                             i < 44 ? "," : "");
                       }) +
                "]\n");
  }
  check_exact(repeat(20, [](int i) { return fmt::format(R"({{"a":1,"a":{},"a":2}})", i) + "\n"; }));
  check_exact("[01, 02]\n[1,]\n{\"a\" 1}\n[,]\n");
}

TEST_CASE("a failing line that does not say so stays as it is") {
  const auto heartbeat = [](int i) {
    return fmt::format("10:{:02}:{:02} worker-{} served {} requests\n", i / 60, i % 60, i % 4,
                       i * 31 % 17);
  };
  const std::string odd = "10:00:55 worker-2 gave up on request 7781\n";
  check_literal(repeat(55, heartbeat) + odd + repeat(120, heartbeat), "gave up on request 7781");
  const auto record = [](int i) {
    return fmt::format(R"({}{{"id":{},"state":"ok","tries":1}})", i > 0 ? "," : "", i);
  };
  check_literal("[" + repeat(90, record) + R"(,{"id":90,"state":"lost","tries":5})" + "]",
                R"({"id":90,"state":"lost","tries":5})");
}

TEST_CASE("one colour code in a regular log, one odd end of a long run") {
  check_exact(repeat(100, [](int i) {
    return fmt::format("step {} {}ok\x1b[0m\n", i, i == 57 ? "\x1b[31mnot " : "");
  }));
  check_literal(repeat(200,
                       [](int i) {
                         return fmt::format("copy part {} of 200 done{}\n", i,
                                            i == 199 ? ", checksum differs" : "");
                       }),
                "checksum differs");
}

TEST_CASE("zero-padded times and counters") {
  check_exact(repeat(150, [](int i) {
    return fmt::format("{:03} 00:{:02}:{:02} part{:05}\n", i + 7, i / 60, i % 60, i * 3);
  }));
  check_exact(repeat(30, [](int i) { return fmt::format("item {:02}\n", 90 + i); }));
}

TEST_CASE("aligned columns and names with spaces") {
  check_exact("total 96\n" + repeat(60, [](int i) {
                return fmt::format(
                    "drwxr-xr-x {:2} root     wheel {:8} May {:2} 10:{:02} name with {} spaces\n",
                    i % 12, i * i * 977, i % 30 + 1, i, i);
              }));
  check_exact("On branch main\n\n" +
              repeat(40, [](int i) { return fmt::format("\tmodified:   src/file {}.txt\n", i); }) +
              "\n");
  check_exact("  PID TTY          TIME CMD\n" + repeat(40, [](int i) {
                return fmt::format("{:5} pts/{}    00:00:{:02} worker {}\n", i * 131, i % 4, i, i);
              }));
  check_exact("Filesystem     Size  Used Avail Use% Mounted on\n" + repeat(20, [](int i) {
                return fmt::format("/dev/sd{}{:9}G {:4}G {:4}G {:3}% /mnt/disk {}\n",
                                   static_cast<char>('a' + i), i * 10, i * 3, i * 7, i * 5, i);
              }));
}

TEST_CASE("diffs and source code") {
  check_exact(repeat(12, [](int i) {
    return fmt::format(
        "@@ -{0},3 +{0},4 @@ void f{1}()\n  int a;\n-  b = {1};\n+  b = {2};\n \n\\ No newline at "
        "end of file\n",
        i * 20, i, i + 1);
  }));
  check_exact(repeat(60, [](int i) {
    return fmt::format("{}if (a{} == b) {{  \n{}\treturn {};\t\n\n",
                       std::string(static_cast<std::size_t>(i) % 5, '\t'), i,
                       std::string(static_cast<std::size_t>(i) % 4 * 2, ' '), i);
  }));
}

TEST_CASE("long words, other scripts, odd bytes") {
  check_exact(std::string(100'000, 'x') + "\n");
  check_exact(
      repeat(40, [](int i) { return std::string(200, static_cast<char>('a' + i % 26)) + "\n"; }));
  check_exact(repeat(40, [](int i) {
    return fmt::format("日本語 {} שלום 👩‍👩‍👧 مرحبا {}\n", i, i * 3);
  }));
  check_exact("\xEF\xBB\xBF" +
              repeat(40, [](int i) { return fmt::format("after a mark, line {}\n", i); }));
  check_exact(
      repeat(40, [](int i) { return fmt::format("a{}b\rc\rd {}\n", std::string(1, '\0'), i); }));
  check_exact(repeat(40, [](int i) { return fmt::format("bytes \xFF\xC3\xED\xA0\x80 {}\n", i); }));
  const std::vector<std::string> odd{
      "\xF0\x91\x8D", "\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82", "é", "€",
      "👍",           "\x80"};
  check_exact(repeat(60, [&](int i) {
    return fmt::format("{:>6} name{}{:<8} size {:>9}\n", i * 31,
                       odd[static_cast<std::size_t>(i) % odd.size()], i * i, i * 77);
  }));
  check_exact(repeat(60, [&](int i) {
    const std::string& mark = odd[static_cast<std::size_t>(i * 7) % odd.size()];
    return fmt::format("{}{} x{} end\n", mark,
                       std::string(12 - std::min<std::size_t>(mark.size(), 4), ' '), i * i);
  }));
  check_exact(repeat(256, [](int i) { return std::string(3, static_cast<char>(i)) + "x\n"; }));
  check_exact(
      repeat(60, [](int i) { return fmt::format("a\x0b b\x0c{}\x1c\u0085\u2028\u00a0z\n", i); }));
}

TEST_CASE(
    "the same output twice, and outputs equal but for a header line, give forms of their own text "
    "only") {
  const std::string body =
      repeat(100, [](int i) { return fmt::format("row {} of the table is {}\n", i, i * i); });
  const std::string one = "id 7f3a, 0.41 s\n" + body;
  const std::string two = "id 9c2b, 0.39 s\n" + body;
  CHECK(compact(body).text == compact(body).text);
  check_literal(one, "id 7f3a, 0.41 s");
  check_literal(two, "id 9c2b, 0.39 s");
}

TEST_CASE("texts that speak the form's own language") {
  const std::string body =
      repeat(60, [](int i) { return fmt::format("row {} is {}\n", i, i * i); });
  for (const std::string_view mark :
       {"~", "~a", "~a:", "~ x", "~3*5", "~+ x", "~]", "~a[", "~: a{1}", "{1}", "{n}", "{@9+}",
        "<1>", "«1»", "§a", "\"", "~a = b", "~a 1-60", "[~{} compact, lossless, 3 lines]"}) {
    check_exact(repeat(60, [&](int i) { return fmt::format("{}row {}\n", mark, i); }));
    check_exact(repeat(60, [&](int i) { return fmt::format("row {} {}\n", i, mark); }));
    check_exact(repeat(60, [&](int i) {
      return i % 5 == 0 ? fmt::format("{}\n", mark) : fmt::format("row {}\n", i);
    }));
    check_exact(body + std::string(mark) + "\n");
    CAPTURE(mark);
    const std::string first = std::string(mark) + "\n" + body;
    const auto made = compact(first);
    CHECK((made.changed ? expand(made.text) == first : made.text == first));
  }
}

TEST_CASE("large and deep texts finish") {
  const auto finishes = [](const std::string& text) {
    const auto made = compact(text);
    return made.changed ? expand(made.text, text.size()) == text : made.text == text;
  };
  CHECK(finishes(repeat(1'000'000, [](int) { return "wwwwwwwwww"; })));
  CHECK(finishes(repeat(
      1'000'000, [](int i) { return std::string(1, static_cast<char>('a' + i % 7)) + "\n"; })));
  CHECK(finishes(std::string(10'000, '[') + std::string(10'000, ']')));
  CHECK(finishes(repeat(10'000, [](int) { return R"({"a":[)"; })));
  CHECK(finishes("[" + repeat(1'000'000, [](int i) { return fmt::format("{},", i * 7 % 1009); }) +
                 "0]"));
  CHECK(finishes(repeat(200'000, [](int) { return "\"\\\""; }) + "\n{"));
}
