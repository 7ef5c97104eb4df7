#include <catch2/catch.hpp>

#include <string>

#include "proxy/compact/compact.h"

using tare::compact::expand;
using tare::compact::expands_to;
using tare::compact::looks_like_form;

namespace {

// A form with the usual marks; `lines` counts the lines it stands for.
std::string form(int lines, const std::string& body) {
  return "[~{} compact, lossless, " + std::to_string(lines) + " lines]\n" + body;
}

std::string json_form(const std::string& layout, int lines, const std::string& body) {
  return "[~{} compact JSON (" + layout + "), lossless, " + std::to_string(lines) + " lines]\n" +
         body;
}

std::string expanded(const std::string& text) {
  const auto result = expand(text);
  return result ? *result : "ERROR " + result.error().text();
}

std::string error_of(const std::string& text) {
  const auto result = expand(text);
  return result ? "no error, but: " + *result : result.error().message;
}

using Catch::Matchers::Contains;

}  // namespace

TEST_CASE("plain lines stand for themselves") {
  CHECK(expanded(form(2, "one\ntwo")) == "one\ntwo");
  CHECK(expanded(form(2, "\n\n")) == "\n\n");
  CHECK(expanded(form(1, "carriage return\r")) == "carriage return\r");
  const std::string bytes("\x00\xFF\x80 \xC3", 5);
  CHECK(expanded(form(1, bytes)) == bytes);
}

TEST_CASE("the form ends in a line feed exactly when the text does") {
  CHECK(expanded(form(2, "one\ntwo\n")) == "one\ntwo\n");
  CHECK(expanded(form(3, "one\ntwo\n\n")) == "one\ntwo\n\n");
  CHECK(expanded(form(1, "\n")) == "\n");
  // An empty last row would look like a final line feed; the bare mark closes it.
  CHECK(expanded(form(2, "~: {1}\na\n\n~")) == "a\n");
}

TEST_CASE("a text that looks like a form is wrapped and comes back") {
  const std::string text = "[~{} compact, lossless, 2 lines]\n~: {1}\na\nb\n";
  CHECK(expanded("[@{} compact, lossless, 4 lines]\n" + text) == text);
}

TEST_CASE("the mark and a blank keep a line plain in both modes") {
  CHECK(expanded(form(3, "~ ~x\n~  y\n~ ")) == "~x\n y\n");
  CHECK(expanded(form(3, "~: <{1}>\na\n~ b\nc")) == "<a>\nb\n<c>");
}

TEST_CASE("an anonymous template makes each row a line until the bare mark") {
  CHECK(expanded(form(4, "x\n~: a {1} z\n1\n\n~\ny")) == "x\na 1 z\na  z\ny");
}

TEST_CASE("a parameter list says how rows are cut") {
  CHECK(expanded(form(2, "~(1 2): {2}-{1}\na b\nc d e")) == "b-a\nd e-c");
  CHECK(expanded(form(1, "~(1,2,3): {1}{2}{3}\na,,c,d")) == "ac,d");
  CHECK(expanded(form(1, "~(1 | 2): [{1}] [{2}]\na b | c | d")) == "[a b] [c | d]");
  CHECK(expanded(form(1, "~(1\t2): {1}{2}\na\tb")) == "ab");
  const std::string twelve = "~(1,2,3,4,5,6,7,8,9,10,11,12): {12}{1}\n0,1,2,3,4,5,6,7,8,9,10,11";
  CHECK(expanded(form(1, twelve)) == "110");
}

TEST_CASE("one value may fill several slots") {
  CHECK(expanded(form(1, "~(1 2): {1} {2} {1}\na b")) == "a b a");
}

TEST_CASE("a definition writes nothing; labels make lines and headings") {
  CHECK(expanded(form(4, "~a = v={1};\n~a 1\nx\n~a:\n2\n~a \n~")) == "v=1;\nx\nv=2;\nv=;");
  CHECK(expanded(form(2, "~ab(1 2) = {1}.{2}\n~ab 1 2\n~ab 3 4")) == "1.2\n3.4");
  CHECK(expanded(form(2, "~a = same\n~a\n~a")) == "same\nsame");
}

TEST_CASE("a label that is defined takes what looks like a definition as its row") {
  CHECK(expanded(form(1, "~a = <{1}>\n~a = x")) == "<= x>");
}

TEST_CASE("a use of another template leaves the mode as it is") {
  CHECK(expanded(form(3, "~a = A{1}\n~: B{1}\n1\n~a 2\n3")) == "B1\nA2\nB3");
}

TEST_CASE("ranges stand for templates without open slots") {
  CHECK(expanded(form(4, "x\n~a = line {n}\n~a 2-3\n~a 4-4")) == "x\nline 2\nline 3\nline 4");
}

TEST_CASE("a template may have several lines, each with its own line number") {
  CHECK(expanded(form(4, "~a = in {n}\n~+ out {n}\n~a 1-4")) == "in 1\nout 2\nin 3\nout 4");
  CHECK(expanded(form(6, "~(1 2): + {1}\n~+ {n}\n~+ - {2}\na b\nc d")) ==
        "+ a\n2\n- b\n+ c\n5\n- d");
  CHECK(expanded(form(2, "~a = head\n~+ {1}\n~a x")) == "head\nx");
}

TEST_CASE("a repeat writes the lines above again") {
  CHECK(expanded(form(4, "a\n~1*3")) == "a\na\na\na");
  CHECK(expanded(form(7, "x\na\nb\n~2*2")) == "x\na\nb\na\nb\na\nb");
  CHECK(expanded(form(3, "\n~1*2")) == "\n\n");
  CHECK(expanded(form(3, "x\n\n~1*1")) == "x\n\n");
}

TEST_CASE("a block names lines, and its label writes them again") {
  CHECK(expanded(form(5, "a\n~p[\nb\nc\n~]\n~p")) == "a\nb\nc\nb\nc");
  CHECK(expanded(form(6, "~p[\n~a = n{n}\n~a 1-2\n~]\n~q[\n~p\n~]\n~q")) ==
        "n1\nn2\nn1\nn2\nn1\nn2");
  CHECK(expanded(form(2, "~: <{1}>\n~p[\na\n~]\n~p")) == "<a>\n<a>");
}

TEST_CASE("a ditto mark repeats the value of the instance before") {
  CHECK(expanded(form(3, "~(1 2): {1}/{2}\na b\n\" c\nd \"")) == "a/b\na/c\nd/c");
  CHECK(expanded(form(3, "~a(1 2) = {1}/{2}\n~a a b\nplain\n~a \" \"")) == "a/b\nplain\na/b");
  CHECK(expanded(form(1, "~: <{1}>\n\"")) == "<\">");
  CHECK(expanded(form(2, "~(1 2): {1}{2}\na b\n\"\" \"")) == "ab\n\"\"b");
}

TEST_CASE("a width aligns a value by its characters") {
  CHECK(expanded(form(3, "~: [{1,4}]\nab\n12345\n\xC3\xA9")) == "[  ab]\n[12345]\n[   \xC3\xA9]");
  CHECK(expanded(form(2, "~: [{1,-4}]\nab\n\xE2\x82\xAC")) == "[ab  ]\n[\xE2\x82\xAC   ]");
  // Bytes that are no UTF-8 count one by one: a lone continuation byte, a cut and an overlong one.
  CHECK(expanded(form(3, "~: [{1,4}]\n\xA9\n\xE2\x82\n\xC0\xAF")) ==
        "[   \xA9]\n[  \xE2\x82]\n[  \xC0\xAF]");
  CHECK(expanded(form(3, "~: [{1,4}]\n\xF1\x80\x80\x80\n\xF4\x8F\xBF\xBF\n\xF4\x90\x80\x80")) ==
        "[   \xF1\x80\x80\x80]\n[   \xF4\x8F\xBF\xBF]\n[\xF4\x90\x80\x80]");
  CHECK(expanded(form(2, "~: [{1,4}]\n\xE0\xA0\x80\n\xED\xA0\x80")) ==
        "[   \xE0\xA0\x80]\n[ \xED\xA0\x80]");
  CHECK(expanded(form(1, "~: [{1,9}]\nabcdefg\xF0\x9F\x98\x80")) == "[ abcdefg\xF0\x9F\x98\x80]");
}

TEST_CASE("a number slot is a linear law of the line number") {
  CHECK(expanded(form(2, "~a = {n}\n~a 1-2")) == "1\n2");
  CHECK(expanded(form(2, "~a = {3n-5}\n~a 1-2")) == "-2\n1");
  CHECK(expanded(form(2, "~a = {2n+95:03}\n~a 1-2")) == "097\n099");
  CHECK(expanded(form(2, "~a = {n-2:03}\n~a 1-2")) == "-01\n000");
  CHECK(expanded(form(2, "~a = [{9n-9,4}]\n~a 1-2")) == "[   0]\n[   9]");
  CHECK(expanded(form(1, "~a = [{n:03,5}]\n~a")) == "[  001]");
  CHECK(expanded(form(1, "~a = {0n+7}\n~a")) == "7");
}

TEST_CASE("numbers of more than 64 bits keep all their digits") {
  CHECK(expanded(form(1, "~a = {n+20260915120000123455}\n~a")) == "20260915120000123456");
  CHECK(expanded(form(1, "~a = {n+999999999999999999}\n~a")) == "1000000000000000000");
  CHECK(expanded(form(1, "~a = {n-999999999999999999999999999999999999}\n~a")) ==
        "-999999999999999999999999999999999998");
  CHECK(expanded(form(1, "~a = {999999999999999999n+0:020}\n~a")) == "00999999999999999999");
}

TEST_CASE("a table slot picks by the line number's remainder") {
  CHECK(expanded(form(4, "~a = {n%3:0=z,1=,2=b=c}.\n~a 1-4")) == ".\nb=c.\nz.\n.");
}

TEST_CASE("a tab slot fills up to a column, counted in characters") {
  CHECK(expanded(form(3, "~(1 2): {1}{@6+}{2}\nab c\nabcdefg h\n\xC3\xA9 i")) ==
        "ab    c\nabcdefg h\n\xC3\xA9     i");
  CHECK(expanded(form(1, "~: a{@4}b{@6++}{1}{@12}!\nxy")) == "a   b  xy   !");
  CHECK(expanded(form(1, "~: abc{@2}{1}\nx")) == "abcx");
}

TEST_CASE("marks and brackets may be other characters") {
  CHECK(expanded("[^<> compact, lossless, 2 lines: legend]\n^: {<1>}\na\nb") == "{a}\n{b}");
  CHECK(expanded("[\xC2\xA7\xC2\xAB\xC2\xBB compact, lossless, 3 lines]\n"
                 "\xC2\xA7"
                 "a = \xC2\xABn\xC2\xBB.\n\xC2\xA7"
                 "a 1-2\n\xC2\xA4") == "1.\n2.\n\xC2\xA4");
}

TEST_CASE("a closing bracket alone is literal text") {
  CHECK(expanded(form(1, "~: }{1}}\nx")) == "}x}");
}

TEST_CASE("aliases stand for their text wherever they are") {
  const std::string head =
      "[~{} compact, lossless, 3 lines: \xC2\xA7"
      "a stands for the text given below]\n";
  CHECK(expanded(head + "\xC2\xA7"
                        "a = /usr/lib\n~: \xC2\xA7"
                        "a/{1}\nx\n~\n\xC2\xA7"
                        "a\nend\n") == "/usr/lib/x\n/usr/lib\nend\n");
  // A later alias may hold an earlier one; a definition out of order is a line.
  CHECK(expanded(head + "\xC2\xA7"
                        "a = A\n\xC2\xA7"
                        "b = \xC2\xA7"
                        "a+B\n\xC2\xA7"
                        "a = x\n\xC2\xA7"
                        "b\n3") == "A = x\nA+B\n3");
}

TEST_CASE("JSON records are laid out again") {
  const std::string body = "[\n{\"a\":1,\"b\":[]}\n{\"a\":-2.5e+3,\"b\":[true,null]}\n]";
  CHECK(expanded(json_form("one line", 4, body)) ==
        R"([{"a":1,"b":[]},{"a":-2.5e+3,"b":[true,null]}])");
  CHECK(expanded(json_form("one line spaced", 4, body)) ==
        R"([{"a": 1, "b": []}, {"a": -2.5e+3, "b": [true, null]}])");
  CHECK(expanded(json_form("indent 2", 4, body + "\n")) ==
        "[\n  {\n    \"a\": 1,\n    \"b\": []\n  },\n  {\n    \"a\": -2.5e+3,\n    \"b\": [\n"
        "      true,\n      null\n    ]\n  }\n]\n");
  CHECK(expanded(json_form("indent tab wide", 1, "{\"a\":{\"b\":false}}")) ==
        "{\n\t\"a\" : {\n\t\t\"b\" : false\n\t}\n}");
}

TEST_CASE("JSON records may come from templates") {
  CHECK(expanded("[~<> compact JSON (one line), lossless, 4 lines]\n"
                 "[\n~a = {\"id\":<n-1>}\n~a 2-3\n]") == R"([{"id":1},{"id":2}])");
}

TEST_CASE("JSON strings keep their spelling and what is in them") {
  const std::string text = R"(["a\"[,:","\\","\u00e9{"])";
  CHECK(expanded(json_form("one line", 1, text)) == text);
}

TEST_CASE("JSON tokens may have any length and end anywhere") {
  for (const std::size_t length : {0U, 1U, 7U, 8U, 9U, 100U, 127U, 128U, 4000U, 4096U, 9000U}) {
    CAPTURE(length);
    const std::string number = "1" + std::string(length, '0');
    const std::string plain = "\"" + std::string(length, 'x') + "\"";
    std::string escaped = "\"";
    for (std::size_t i = 0; i < length; ++i) escaped += i % 9 < 4 ? "\\\"" : "x";
    escaped += '"';
    std::string expected = "[\n";
    std::string body = "[";
    for (const std::string& token : {number, plain, escaped, plain, number, escaped}) {
      expected += "  " + token + ",\n";
      body += token + ",";
    }
    CHECK(expanded(json_form("indent 2", 1, body + "0]")) == expected + "  0\n]");
    CHECK_THAT(error_of(json_form("one line", 1, plain.substr(0, 1 + length))),
               Contains("no JSON"));
  }
}

TEST_CASE("the tail of JSON cut in the middle stays raw") {
  CHECK(expanded(json_form("indent 1, last 2 raw", 4, "[\n{\"a\":1}\n,\n   \"b")) ==
        "[\n {\n  \"a\": 1\n },\n   \"b");
  CHECK(expanded(json_form("one line, last 1 raw", 2, "[1,2\n\n")) == "[1,2\n");
}

TEST_CASE("lines before JSON stay raw") {
  CHECK(expanded(json_form("one line spaced, first 2 raw", 3, "$ get\n\n[1,2]\n")) ==
        "$ get\n\n[1, 2]\n");
  CHECK(expanded(json_form("one line, first 1 raw, last 2 raw", 4, "$ get\n[1]\n\nok")) ==
        "$ get\n[1]\nok");
}

TEST_CASE("several documents stand below each other") {
  CHECK(expanded(json_form("one line spaced, several documents", 5,
                           "{\"a\":[1,2]}\n[]\n{\"b\":[\n3\n]}\n")) ==
        "{\"a\": [1, 2]}\n[]\n{\"b\": [3]}\n");
  CHECK(expanded(json_form("indent 1, several documents, last 1 raw", 3, "{\"a\":1}\n[2]\n, x")) ==
        "{\n \"a\": 1\n}\n[\n 2\n], x");
}

TEST_CASE("arrays that hold no container may be on one line") {
  const std::string body = "{\n\"a\":[1,\"x\",null]\n\"b\":[[],[2]]\n\"c\":[3,{\"d\":[4]}]\n}";
  CHECK(expanded(json_form("indent 1 flat", 5, body)) ==
        "{\n \"a\": [1, \"x\", null],\n \"b\": [\n  [],\n  [2]\n ],\n \"c\": [\n  3,\n  {\n"
        "   \"d\": [4]\n  }\n ]\n}");
  CHECK(expanded(json_form("indent tab wide flat, several documents", 2, "[1,2]\n{\"a\":[]}")) ==
        "[1, 2]\n{\n\t\"a\" : []\n}");
  CHECK(expanded(json_form("indent 1 flat, last 1 raw", 2, "[1,2\n, 3")) == "[\n 1,\n 2, 3");
  CHECK_THAT(error_of(json_form("one line flat", 1, "1")), Contains("JSON layout"));
}

TEST_CASE("lines inside a JSON string are escaped, those around it are not") {
  const auto in_string = [](int lines, const std::string& which, const std::string& body) {
    return "[~{} compact, lossless, " + std::to_string(lines) + " lines, " + which +
           " inside a JSON string]\n" + body;
  };
  CHECK(expanded(in_string(4, "2-3", "{\"a\":\"\none \"two\" \\ \t\x01\r\n\x7f\b\f\n\"}\n")) ==
        "{\"a\":\"one \\\"two\\\" \\\\ \\t\\u0001\\r\\n\x7f\\b\\f\"}\n");
  CHECK(expanded(in_string(6, "3-4", "{\n \"a\": \"\nx\n\n\",\n \"b\": 1}")) ==
        "{\n \"a\": \"x\\n\",\n \"b\": 1}");
  CHECK(
      expanded("[~{} compact JSON (one line spaced, first 1 raw), lossless, 7 lines, 2-6 inside a "
               "JSON string]\n[\"\n$ get\n[\n1\n\"x\"\n]\n\"]") == R"(["$ get\n[1, \"x\"]"])");
  for (const char* which : {"1-2", "2-4", "3-2", "0-1"})
    CHECK_THAT(error_of(in_string(4, which, "a\nb\nc\nd")), Contains("cannot be a string"));
  CHECK_THAT(error_of("[~{} compact JSON (one line, first 1 raw), lossless, 3 lines, 2-2 inside a "
                      "JSON string]\na\nb\nc"),
             Contains("no line of JSON"));
}

TEST_CASE("deep JSON needs no stack") {
  constexpr int depth = 10000;
  const std::string open(depth, '['), close(depth, ']');
  CHECK(expanded(json_form("one line", 1, open + close)) == open + close);
  CHECK_THAT(error_of(json_form("indent 999999", 1, open + close)), Contains("longer than"));
  const auto laid_out = expand(json_form("indent 1", 1, open + close), 200'000'000);
  REQUIRE(laid_out);
  CHECK(laid_out->size() == 100'019'999);
}

TEST_CASE("only a first line of a header's shape looks like a form") {
  CHECK(looks_like_form("[~{} compact, lossless, 1 lines]"));
  CHECK(looks_like_form("[~{} compact 2, other]\nx"));
  CHECK(looks_like_form("[\xC2\xA7\xC2\xAB\xC2\xBB compact]\n"));
  CHECK_FALSE(looks_like_form(""));
  CHECK_FALSE(looks_like_form("[~{"));
  CHECK_FALSE(looks_like_form("\n[~{} compact, lossless, 1 lines]"));
  CHECK_FALSE(looks_like_form("[~{} compact, lossless, 1 lines] "));
  CHECK_FALSE(looks_like_form("[~{} compact, lossless, 1 lines]\r\n"));
  CHECK_FALSE(looks_like_form("[~{ compact, lossless, 1 lines]"));
}

TEST_CASE("a text without a header is no form") {
  CHECK_THAT(error_of("hello\n"), Contains("not a compact form"));
  CHECK_THAT(error_of(""), Contains("not a compact form"));
}

TEST_CASE("each fault in the header is named") {
  CHECK_THAT(error_of("[~{} compact 2, lossless, 1 lines]\nx"), Contains("line 1: expected a"));
  CHECK_THAT(error_of("[~{} compact, lossless, x lines]\nx"), Contains("line 1: expected a"));
  CHECK_THAT(error_of("[~{} compact, lossless, 1 lines, y]\nx"), Contains("line 1: expected a"));
  CHECK_THAT(error_of("[~{} compact, lossless, 9999999999999999999 lines]\nx"),
             Contains("line 1: expected a"));
  CHECK_THAT(error_of(form(0, "x")), Contains("one line at least"));
  CHECK_THAT(error_of("[~{} compact, lossless, 1 lines]"), Contains("below the header"));
  CHECK_THAT(error_of("[~{} compact, lossless, 1 lines]\n"), Contains("below the header"));
  CHECK_THAT(error_of(json_form("pretty", 1, "1")), Contains("JSON layout 'pretty'"));
  CHECK_THAT(error_of(json_form("indent x", 1, "1")), Contains("JSON layout 'indent x'"));
  CHECK_THAT(error_of(json_form("indent 1000000000", 1, "1")), Contains("JSON layout"));
  CHECK_THAT(error_of(json_form("one line wide", 1, "1")), Contains("JSON layout"));
  CHECK_THAT(error_of(json_form("one line, last x raw", 1, "1")), Contains("last N raw"));
  CHECK_THAT(error_of(json_form("one line, last 1 raw", 1, "1")), Contains("no line of JSON"));
  CHECK_THAT(error_of(json_form("one line, first 1 raw, last 1 raw", 2, "1\n2")),
             Contains("no line of JSON"));
  CHECK_THAT(error_of(json_form("one line, first x raw", 1, "1")), Contains("first N raw"));
  CHECK_THAT(error_of(json_form("one line, last 1 raw, first 1 raw", 3, "1\n2\n3")),
             Contains("expected ', last N raw'"));
  CHECK_THAT(error_of("[~{} compact JSON (one line, lossless, 1 lines]\n1"), Contains("closed"));
}

TEST_CASE("the number of lines must be the header's") {
  CHECK_THAT(error_of(form(3, "a\nb")), Contains("line 3: 2 lines, but the header says 3"));
  CHECK_THAT(error_of(form(1, "a\nb")), Contains("line 3: more lines than the 1"));
  CHECK_THAT(error_of(form(2, "~p[\na\n~]\n~p\n~p")), Contains("line 6: more lines"));
}

TEST_CASE("each fault in a line is named with the line") {
  const auto fault = [](const std::string& body) { return error_of(form(99, body)); };
  CHECK_THAT(fault("a\n~#"), Contains("line 3: unknown directive '#'"));
  CHECK_THAT(fault("~+x"), Contains("line 2: unknown directive"));
  CHECK_THAT(fault("~]x"), Contains("line 2: unknown directive"));
  CHECK_THAT(fault("~a"), Contains("line 2: label 'a' is not defined"));
  CHECK_THAT(fault("~a 1-2"), Contains("label 'a' is not defined"));
  CHECK_THAT(fault("~a:"), Contains("label 'a' is not defined"));
  CHECK_THAT(fault("~:{1}"), Contains("line 2: expected ': ' and a template"));
  CHECK_THAT(fault("~(1 2) = {1}"), Contains("line 2: expected ': ' and a template"));
  CHECK_THAT(fault("~a(1 2): {1}"), Contains("line 2: expected ' = ' and a template"));
  CHECK_THAT(fault("~(1): {1}"), Contains("parameter list"));
  CHECK_THAT(fault("~(12): {1}"), Contains("parameter list"));
  CHECK_THAT(fault("~(1 2,3): {1}"), Contains("parameter list"));
  CHECK_THAT(fault("~(1 3): {1}"), Contains("parameter list"));
  CHECK_THAT(fault("~(1 2"), Contains("parameter list"));
  CHECK_THAT(fault("~(2 1): {1}"), Contains("parameter list"));
}

TEST_CASE("a parameter list must name the slots there are") {
  const auto fault = [](const std::string& body) { return error_of(form(99, body)); };
  CHECK_THAT(fault("~: {1}{2}\na"), Contains("line 2: the template has 2 open slots"));
  CHECK_THAT(fault("x\n~a(1 2) = {1}"), Contains("line 3: the template has 1 open slots"));
  CHECK_THAT(fault("~(1 2): {1}{2}\n~+ {3}\na b"), Contains("line 2: the template has 3"));
  CHECK_THAT(fault("~: {999999999}\na"), Contains("has 999999999 open slots"));
}

TEST_CASE("each kind of bad slot is named") {
  for (const std::string slot : {"",
                                 "0",
                                 "x",
                                 "1,",
                                 "1,x",
                                 "1,--2",
                                 "1 ",
                                 "-1",
                                 "9999999999",
                                 "1,9999999999",
                                 "n+",
                                 "n-x",
                                 "n:03x",
                                 "n:3",
                                 "n,",
                                 "n,-3",
                                 "nn",
                                 "1234567890123456789n",
                                 "n+1234567890123456789012345678901234567",
                                 "n%",
                                 "n%2",
                                 "n%0:",
                                 "n%2:",
                                 "n%2:0=a",
                                 "n%2:0=a,1",
                                 "n%2:1=a,0=b",
                                 "n%2:0=a,0=b",
                                 "n%1:0=a,1=b",
                                 "@",
                                 "@x",
                                 "@1-",
                                 "@1+x",
                                 "@9999999999"}) {
    CAPTURE(slot);
    CHECK_THAT(error_of(form(1, "~a = x{" + slot + "}\n~a")),
               Contains("line 2: unknown slot '" + slot.substr(0, 40)));
  }
  CHECK_THAT(error_of(form(1, "~a = x{n\n~a")), Contains("line 2: slot 'n' is not closed"));
}

TEST_CASE("a row must have as many values as its template takes") {
  CHECK_THAT(error_of(form(1, "~(1 2 3): {1}{2}{3}\na b")),
             Contains("line 3: 2 values where the template takes 3"));
  CHECK_THAT(error_of(form(1, "~a = {1}\n~a")), Contains("line 3: expected a blank and values"));
  CHECK_THAT(error_of(form(1, "~a = {1}\n~ax")), Contains("line 3: label 'ax'"));
  CHECK_THAT(error_of(form(1, "~a = {1}\n~a:x")), Contains("line 3: expected a blank"));
  CHECK_THAT(error_of(form(1, "~: x\na")), Contains("line 3: a value, but"));
  CHECK_THAT(error_of(form(1, "~(1 2): {1}{2}\n\" b")), Contains("line 3: '\"' with no line"));
}

TEST_CASE("a range must begin at the next line and hold whole instances") {
  const auto fault = [](const std::string& body) { return error_of(form(9, body)); };
  CHECK_THAT(fault("~a = x\n~a 2-3"), Contains("line 3: the range begins at line 2, but line 1"));
  CHECK_THAT(fault("~a = x\n~a 1-0"), Contains("line 3: lines 1-0"));
  CHECK_THAT(fault("~a = x\n~+ y\n~a 1-3"), Contains("line 4: lines 1-3"));
  CHECK_THAT(fault("~a = x\n~a 1-10"), Contains("line 3: the range ends past the 9"));
  for (const std::string words : {"1", "1-", "-1", "1-2 ", "x", "", "1-9999999999999999999"}) {
    CAPTURE(words);
    CHECK_THAT(fault("~a = x\n~a " + words), Contains("line 3: expected lines such as 2-9"));
  }
}

TEST_CASE("a repeat must have its lines above it and end within the header's") {
  const auto fault = [](const std::string& body) { return error_of(form(9, body)); };
  CHECK_THAT(fault("a\n~2*1"), Contains("line 3: repeats 2 lines where there are 1"));
  CHECK_THAT(fault("a\n~1*9"), Contains("line 3: repeats past the 9 lines"));
  CHECK_THAT(fault("a\n~1*999999999999999999"), Contains("line 3: repeats past the 9 lines"));
  for (const std::string words : {"1", "1*", "0*1", "1*0", "1*1x", "1*9999999999999999999"}) {
    CAPTURE(words);
    CHECK_THAT(fault("a\n~" + words), Contains("line 3: expected a repeat such as 3*5"));
  }
}

TEST_CASE("blocks neither nest nor overlap nor stay open") {
  const auto fault = [](const std::string& body) { return error_of(form(9, body)); };
  CHECK_THAT(fault("~p[\n~q[\n~]\n~]"), Contains("line 3: a block begins inside another"));
  CHECK_THAT(fault("~p[\na\n~p\n~]"), Contains("line 4: a block cannot stand inside itself"));
  CHECK_THAT(fault("~]"), Contains("line 2: no block is open"));
  CHECK_THAT(fault("~p[\na"), Contains("line 3: a block is still open"));
  CHECK_THAT(fault("~p[\na\n~]\n~p x"), Contains("line 5: nothing may follow"));
  CHECK_THAT(fault("~p[\na\n~]\n~p = x"), Contains("line 5: nothing may follow"));
  CHECK_THAT(fault("~p[\na\n~]\n~p["), Contains("line 5: nothing may follow"));
  CHECK_THAT(fault("~p = x\n~p["), Contains("line 3: expected a blank"));
}

TEST_CASE("a template's next line must follow the template") {
  const auto fault = [](const std::string& body) { return error_of(form(9, body)); };
  CHECK_THAT(fault("~+ x"), Contains("line 2: a template's next line must follow"));
  CHECK_THAT(fault("~a = x\n~a\n~+ y"), Contains("line 4: a template's next line"));
  CHECK_THAT(fault("~: x{1}\na\n~+ y"), Contains("line 4: a template's next line"));
}

TEST_CASE("each fault in JSON is named with its record") {
  const auto fault = [](int lines, const std::string& body) {
    return error_of(json_form("indent 2", lines, body));
  };
  CHECK_THAT(fault(3, "[\n\n]"), Contains("JSON record 2: an empty line"));
  CHECK_THAT(fault(2, "[\n]]"), Contains("JSON record 2: a bracket closes"));
  for (const std::string text : {"x", "\"open", "\"a\tb\"", "-", "-x", "\"\\", "tru", "1 x"}) {
    CAPTURE(text);
    CHECK_THAT(fault(2, "[\n" + text), Contains("JSON record 2: no JSON"));
  }
}

TEST_CASE("an alias that is used must be defined") {
  CHECK_THAT(error_of("[~{} compact, lossless, 2 lines: \xC2\xA7"
                      "a stands for the text given below]\n\xC2\xA7"
                      "a = x\nx\n\xC2\xA7"
                      "b"),
             Contains("line 4: alias"));
}

TEST_CASE("the limit is exact and a short form cannot pass it") {
  CHECK(expand(form(2, "ab\ncd"), 5));
  CHECK_FALSE(expand(form(2, "ab\ncd"), 4));
  CHECK(expand(form(2, "ab\ncd\n"), 6));
  CHECK_FALSE(expand(form(2, "ab\ncd\n"), 5));
  CHECK(expand(json_form("one line", 3, "[\n1\n]"), 3));
  CHECK_FALSE(expand(json_form("one line", 3, "[\n1\n]"), 2));
  for (const std::string body :
       {"~a = x{n}\n~a 1-900000000000000000", "aaaaaaaaaaaaaaaaaaaaaaaaaa\n~1*899999999999999999",
        "~: {1,999999999}\na", "~a = {n:0999999999}\n~a", "~a = {n,999999999}\n~a",
        "~a = {@999999999}\n~a", "~: {1,-999999999}\na"}) {
    CAPTURE(body);
    const auto result =
        expand("[~{} compact, lossless, 900000000000000000 lines]\n" + body, 1 << 20);
    REQUIRE_FALSE(result);
    CHECK_THAT(result.error().message, Contains("longer than the limit"));
    CHECK_FALSE(result.error().remedy.empty());
  }
}

TEST_CASE("aliases that double one another cannot pass the limit") {
  const std::string mark = "\xC2\xA7";
  std::string text =
      "[~{} compact, lossless, 1 lines: " + mark + "a stands for the text given below]\n";
  text += mark + "a = " + std::string(100, 'x') + "\n";
  for (char letter = 'b'; letter <= 'z'; ++letter) {
    const std::string before = mark + static_cast<char>(letter - 1);
    text += mark + letter + " = ";
    for (int i = 0; i < 10; ++i) text += before;
    text += '\n';
  }
  text += mark + "z";
  CHECK_THAT(error_of(text), Contains("longer than the limit"));
}

TEST_CASE("slots that come to nothing cannot take time without end") {
  std::string slots;
  for (int i = 0; i < 20000; ++i) slots += "{@0}";
  CHECK_THAT(error_of(form(9999999, "~a = " + slots + "\n~a 1-9999999")),
             Contains("line 3: too many slots that come to nothing"));
}

TEST_CASE("work stops at the limit inside a line too") {
  std::string slots;
  for (int i = 0; i < 50000; ++i) slots += "{1,9}";
  const auto result = expand(form(1, "~: " + slots + "\n" + std::string(500000, 'x')), 1 << 20);
  CHECK_FALSE(result);
}

TEST_CASE("a form is held against the text that it stands for, and any other is told from it") {
  const std::string mark = "[~{} compact, lossless, ";
  const struct {
    std::string form;
    std::string text;
  } cases[] = {
      {mark + "6 lines]\na\nb\n~2*2\n", "a\nb\na\nb\na\nb\n"},
      {mark + "6 lines]\na\nb\n~2*2", "a\nb\na\nb\na\nb"},
      {mark + "4 lines]\n~a[\nx\ny\n~]\n~a", "x\ny\nx\ny"},
      {mark + "2 lines]\n~: {1}{@6+}b\na\naaaaaaa", "a     b\naaaaaaa b"},
      {"[~{} compact JSON (indent 2), lossless, 1 lines]\n{\"a\":[]}", "{\n  \"a\": []\n}"},
      {mark + "4 lines, 2-3 inside a JSON string]\n{\"a\":\"\nb\nc\n\"}", "{\"a\":\"b\\nc\"}"},
  };
  for (const auto& [form, text] : cases) {
    CAPTURE(form);
    CHECK(expand(form).value() == text);
    CHECK(expands_to(form, text));
    CHECK_FALSE(expands_to(form, text + "\n"));
    CHECK_FALSE(expands_to(form, text.substr(1)));
    for (std::size_t i = 0; i < text.size(); ++i) {
      std::string other = text;
      other[i] ^= 1;
      CHECK_FALSE(expands_to(form, other));
      CHECK_FALSE(expands_to(form, text.substr(0, i)));
    }
  }
}
