
#include <catch2/catch.hpp>
#include <functional>
#include <random>
#include <stop_token>
#include <string>
#include <vector>

#include "proxy/wire/json_string.h"
#include "proxy/wire/rewriter.h"

using namespace tare;
using namespace tare::wire;

namespace {

constexpr auto* target = "/v1/responses";

// Stands in for compact(): every text becomes its length and its first two bytes.
compact::Compacted shortened(std::string_view text) {
  return {std::to_string(text.size()) + ":" + std::string(text.substr(0, 2)), true};
}

using Shortener = std::function<compact::Compacted(std::string_view text)>;

// rewrite() with another compaction, on outputs of any length.
Rewritten rewrite_with(std::string_view path, std::string_view body, const Shortener& shortener) {
  const auto compactor = [&](std::string_view text, Treatment, const compact::Earlier&,
                             const std::stop_token&) { return shortener(text); };
  return Rewriter({.compact = {.min_bytes = 0}, .verbatim_tools = {}}, compactor, 0)
      .rewrite(path, body);
}

Shortener always(std::string form) {
  return [form = std::move(form)](std::string_view) { return compact::Compacted{form, true}; };
}

std::string item(const std::string& output) {
  return R"({"type":"function_call_output","call_id":"c","output":)" + output + "}";
}

std::string body_of(const std::string& output) {
  return R"({"model":"m","input":[)" + item(output) + R"(],"temperature":1.0})";
}

}  // namespace

TEST_CASE("an output is replaced and all around it stays") {
  const auto result = rewrite_with(target, body_of(R"("ab and much more\n")"), shortened);
  CHECK(result.body == body_of(R"("17:ab")"));
  CHECK(result.outputs_found == 1);
  CHECK(result.outputs_rewritten == 1);
}

TEST_CASE("nothing comes back when nothing was changed") {
  const auto unchanged = [](std::string_view text) {
    return compact::Compacted{std::string(text), false};
  };
  const auto result = rewrite_with(target, body_of("\"some output\""), unchanged);
  CHECK(result.body.empty());
  CHECK(result.outputs_found == 1);
  CHECK(result.outputs_rewritten == 0);
}

TEST_CASE("another endpoint's body is not touched") {
  CHECK(rewrite_with("/v1/other", body_of("\"some long output\""), shortened).body.empty());
}

TEST_CASE("only requests that carry outputs are worth reading") {
  CHECK(may_hold_outputs("POST", "/v1/responses"));
  CHECK(may_hold_outputs("POST", "/v1/responses?stream=true"));
  CHECK_FALSE(may_hold_outputs("GET", "/v1/responses"));
  CHECK_FALSE(may_hold_outputs("post", "/v1/responses"));
  CHECK_FALSE(may_hold_outputs("POST", "/v1/models"));
}

TEST_CASE("the compactor is given the text, not its spelling") {
  std::string seen;
  rewrite_with(target, body_of(R"("a\/\u00e9\n\ud83d\ude00\ud83d")"), [&](std::string_view text) {
    seen = text;
    return compact::Compacted{};
  });
  CHECK(seen == "a/é\n😀\xED\xA0\xBD");
}

TEST_CASE("a form is written in the spelling of the string it replaces") {
  CHECK(rewrite_with(target, body_of(R"("é, \u0001 and a good deal more of text")"), always("é\t§"))
            .body == body_of(R"("é\t§")"));
  CHECK(rewrite_with(target, body_of(R"("\u00e9, and a good deal more of text")"), always("é\t§"))
            .body == body_of(R"("\u00e9\t\u00a7")"));
}

TEST_CASE("a form that is no shorter in the body's bytes is not used") {
  // 12 bytes of text in both, but the form's line breaks are two bytes each in the body.
  CHECK(rewrite_with(target, body_of("\"123456789012\""), always("a\nb\nc\nd\n")).body.empty());
  CHECK(rewrite_with(target, body_of("\"123456789012\""), always("123456789012")).body.empty());
  CHECK(
      rewrite_with(target, body_of("\"123456789012\""), always("12345678901")).outputs_rewritten ==
      1);
}

TEST_CASE("a form that cannot be written as a JSON string is not used") {
  CHECK(rewrite_with(target, body_of("\"a long output\""), always("\xC3")).body.empty());
  // Two lone halves side by side would be read as one character.
  CHECK(rewrite_with(target, body_of(R"("\ude00 some output \ud83d")"),
                     always("\xED\xA0\xBD\xED\xB8\x80"))
            .body.empty());
}

TEST_CASE("a bad escape in any output leaves the whole body alone") {
  const std::string body =
      R"({"input":[)" + item("\"a good and long output\"") + "," + item(R"("bad \x")") + "]}";
  CHECK(rewrite_with(target, body, shortened).body.empty());
}

TEST_CASE("outputs that stay do not hinder those that change") {
  const auto pick = [](std::string_view text) {
    return compact::Compacted{"short", text.starts_with("take")};
  };
  const std::string body = R"({"input":[)" + item("\"leave this one\"") + "," +
                           item("\"take this one\"") + "," + item("\"leave that\"") + "]}";
  const auto result = rewrite_with(target, body, pick);
  CHECK(result.body == R"({"input":[)" + item("\"leave this one\"") + "," + item("\"short\"") +
                           "," + item("\"leave that\"") + "]}");
  CHECK(result.outputs_found == 3);
  CHECK(result.outputs_rewritten == 1);
}

namespace {

// A random body as a list of pieces: even ones are the client's, odd ones are tool outputs.
class RandomBody {
 public:
  explicit RandomBody(unsigned seed) : random_(seed) {
    piece_ = blanks() + "{";
    members();
    piece_ += "\"input\"" + blanks() + ":" + blanks() + "[";
    for (auto left = below(6); left > 0; --left) {
      item();
      piece_ += left > 1 ? "," : "";
      piece_ += blanks();
    }
    piece_ += "]" + blanks() + ",";
    members();
    piece_ += "\"end\":0}" + blanks();
    pieces_.push_back(piece_);
  }

  const std::vector<std::string>& pieces() const { return pieces_; }

 private:
  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }

  std::string one_of(const std::vector<std::string>& all) {
    return all[below(static_cast<unsigned>(all.size()))];
  }

  std::string blanks() { return one_of({"", "", " ", "\n  ", "\t", "\r\n"}); }

  std::string string() {
    std::string json = "\"";
    for (auto left = below(30); left > 0; --left) {
      json += one_of({"word ", "\\n", "\\\"", "\\\\", "\\/", "\\u00e9", "é", "\\ud83d\\ude00", "😀",
                      "\\ud800", "\\u000A", "{", "]", "\\t", "function_call_output", "\x7f",
                      "\\\\\\\""});
    }
    return json + "\"";
  }

  std::string value(int depth) {
    switch (below(depth > 3 ? 3 : 5)) {
      case 0:
        return string();
      case 1:
        return one_of({"1.0", "1e5", "19.90", "-0", "9007199254740993", "1E+2"});
      case 2:
        return one_of({"true", "false", "null"});
      case 3: {
        std::string json = "[" + blanks();
        for (auto left = below(4); left > 0; --left) json += value(depth + 1) + blanks() + ",";
        return json + "[]]";
      }
      default: {
        std::string json = "{" + blanks();
        for (auto left = below(4); left > 0; --left) {
          json += one_of({R"("type":"function_call_output")", R"("input":[])",
                          string() + blanks() + ":" + value(depth + 1)}) +
                  ",";
        }
        // What looks like a tool output is one only as an item of the input itself.
        return json + R"("output":)" + (depth == 1 ? "[]" : value(depth + 1)) + "}";
      }
    }
  }

  void members() {
    for (auto left = below(4); left > 0; --left) {
      piece_ +=
          "\"m" + std::to_string(below(3)) + "\"" + blanks() + ":" + value(0) + blanks() + ",";
    }
  }

  void item() {
    switch (below(3)) {
      case 0:
        piece_ += value(1);
        return;
      case 1:
        piece_ += R"({"output":)";
        output();
        piece_ += R"(,"x":)" + value(1) + R"(,"type":)" + blanks() + R"("function_call_output"})";
        return;
      default:
        piece_ += "{" + blanks() + R"("type":"function_call_output","x":)" + value(1) +
                  R"(,"output":)" + blanks();
        output();
        piece_ += blanks() + "}";
    }
  }

  void output() {
    pieces_.push_back(piece_);
    pieces_.push_back(string());
    piece_.clear();
  }

  std::mt19937 random_;
  std::string piece_;
  std::vector<std::string> pieces_;
};

}  // namespace

TEST_CASE("in any body, only the outputs change, each to what its text asks for") {
  std::size_t rewritten = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    const RandomBody random(seed);
    std::string body;
    std::string expected;
    std::size_t index = 0;
    for (const auto& piece : random.pieces()) {
      body += piece;
      if (index++ % 2 == 0) {
        expected += piece;
        continue;
      }
      const auto original = decode(piece);
      REQUIRE(original);
      const auto form = encode(shortened(original->text).text, original->spelling);
      expected += form && form->size() < piece.size() &&
                          decode(*form)->text == shortened(original->text).text
                      ? *form
                      : piece;
    }
    const auto result = rewrite_with(target, body, shortened);
    INFO(body);
    REQUIRE((result.body.empty() ? body : result.body) == expected);
    rewritten += result.outputs_rewritten;
  }
  CHECK(rewritten > 1000);
}

TEST_CASE("a stop in the midst of an output ends the rewriting, and nothing of it is kept") {
  std::stop_source source;
  int calls = 0;
  const auto compactor = [&](std::string_view text, Treatment, const compact::Earlier&,
                             const std::stop_token& stop) {
    CHECK_FALSE(stop.stop_requested());
    if (++calls == 1) source.request_stop();
    return compact::Compacted{std::string(text.substr(0, 2)), true};
  };
  Rewriter rewriter({.compact = {.min_bytes = 0}, .verbatim_tools = {}}, compactor,
                    Rewriter::usual_cache_bytes);
  const std::string body = body_of(R"("ab and much more")");
  CHECK(rewriter.rewrite(target, body, source.get_token()).body.empty());
  CHECK(rewriter.rewrite(target, body).body == body_of(R"("ab")"));
  CHECK(calls == 2);
}
