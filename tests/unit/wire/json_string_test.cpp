#include "proxy/wire/json_string.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>

using namespace std::string_literals;
using namespace tare::wire;

namespace {

std::string text_of(std::string_view json_string) {
  const auto decoded = decode(json_string);
  REQUIRE(decoded);
  return decoded->text;
}

std::string spelled(std::string_view text, Spelling spelling) {
  const auto encoded = encode(text, spelling);
  REQUIRE(encoded);
  return *encoded;
}

}  // namespace

TEST_CASE("each escape of JSON stands for its character") {
  CHECK(text_of(R"("\"\\\/\b\f\n\r\t")") == "\"\\/\b\f\n\r\t");
  CHECK(text_of(R"("\u0000a\u001f")") == "\0a\x1f"s);
  CHECK(text_of(R"("\u00e9\u00E9\u20ac")") == "éé€");
  CHECK(text_of(R"("\ud83d\ude00\uD83D\uDE00")") == "😀😀");
  CHECK(text_of("\"\"").empty());
}

TEST_CASE("what is not an escape of JSON is not decoded") {
  for (const auto* bad : {R"("\x")", R"("\u12")", R"("\u12g4")", R"("\u")", R"("\")",
                          R"("abcdefgh\'")", R"("\U0041")", R"("\ud83d\u12")"}) {
    INFO(bad);
    CHECK_FALSE(decode(bad));
  }
}

TEST_CASE("a surrogate without its partner is kept as a code unit") {
  CHECK(text_of(R"("\ud83d")") == "\xED\xA0\xBD");
  CHECK(text_of(R"("\ude00\ud83d")") == "\xED\xB8\x80\xED\xA0\xBD");
  CHECK(text_of(R"("\ud83dx\ude00")") == "\xED\xA0\xBDx\xED\xB8\x80");
  CHECK(text_of(R"("\ud83d\ud83d\ude00")") == "\xED\xA0\xBD😀");
  CHECK(text_of(R"("\ud83d\n")") == "\xED\xA0\xBD\n");
  for (const auto spelling : {Spelling::shortest, Spelling::ascii}) {
    for (const auto* json : {R"("\ud83d")", R"("a\ude00\ud83d")", R"("\udfff\ud800\udbff")"}) {
      CHECK(spelled(text_of(json), spelling) == json);
    }
  }
}

TEST_CASE("the usual spellings are written as the usual encoders write them") {
  CHECK(spelled("\"\\/\b\f\n\r\t\x01\x1f\x7f é😀", Spelling::shortest) ==
        "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\x7f é😀\"");
  CHECK(spelled("\"\\/\b\f\n\r\t\x01\x1f\x7f é😀", Spelling::ascii) ==
        R"("\"\\/\b\f\n\r\t\u0001\u001f\u007f \u00e9\ud83d\ude00")");
  CHECK(spelled("\xE2\x80\xA8", Spelling::shortest) == "\"\xE2\x80\xA8\"");
}

TEST_CASE("the spelling of a string is seen from its characters beyond ASCII") {
  CHECK(decode(R"("plain \n \" text")")->spelling == Spelling::shortest);
  CHECK(decode(R"("é")")->spelling == Spelling::shortest);
  CHECK(decode(R"("\u00e9")")->spelling == Spelling::ascii);
  CHECK(decode(R"("\u007f")")->spelling == Spelling::ascii);
  CHECK(decode(R"("a long way before it: \ud83d\ude00")")->spelling == Spelling::ascii);
  CHECK(decode(R"("é\u00e9")")->spelling == Spelling::shortest);
  CHECK(decode(R"("\ud83d is escaped by all")")->spelling == Spelling::shortest);
}

TEST_CASE("bytes that are not UTF-8 are not encoded") {
  for (const std::string& bad : {"\x80"s, "\xC3"s, "\xC0\x80"s, "\xC1\xBF"s, "\xE0\x80\x80"s,
                                 "\xE2\x82"s, "\xF0\x80\x80\x80"s, "\xF4\x90\x80\x80"s,
                                 "\xF5\x80\x80\x80"s, "\xFF"s, "\xC3z"s, "é\xA9"s}) {
    CHECK_FALSE(encode(bad, Spelling::shortest));
    CHECK_FALSE(encode("x" + bad + "y", Spelling::ascii));
  }
}

TEST_CASE("every code point comes back from both spellings") {
  std::string text;
  for (char32_t code = 0; code <= 0x10FFFF; code += code < 0x3000 ? 1 : 61) {
    if (code >= 0xD800 && code < 0xE000) continue;
    if (code < 0x80) {
      text += static_cast<char>(code);
    } else if (code < 0x800) {
      text += {static_cast<char>(0xC0 | code >> 6), static_cast<char>(0x80 | (code & 0x3F))};
    } else if (code < 0x10000) {
      text += {static_cast<char>(0xE0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 0x3F)),
               static_cast<char>(0x80 | (code & 0x3F))};
    } else {
      text +=
          {static_cast<char>(0xF0 | code >> 18), static_cast<char>(0x80 | (code >> 12 & 0x3F)),
           static_cast<char>(0x80 | (code >> 6 & 0x3F)), static_cast<char>(0x80 | (code & 0x3F))};
    }
  }
  CHECK(text_of(spelled(text, Spelling::shortest)) == text);
  CHECK(text_of(spelled(text, Spelling::ascii)) == text);
}

TEST_CASE("a string in a usual spelling is written again byte for byte") {
  std::mt19937 random(7);
  const std::vector<std::string> units = {
      "a", "plain words ", "\"",  "\\", "\n",       "\t",           "\x01"s, "\x7f"s, "é",
      "€", "😀",           "\0"s, "/",  "12345678", "\xED\xA0\xBD "};
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (auto left = random() % 40; left > 0; --left) text += units[random() % units.size()];
    for (const auto spelling : {Spelling::shortest, Spelling::ascii}) {
      const auto json = spelled(text, spelling);
      const auto decoded = decode(json);
      REQUIRE(decoded);
      REQUIRE(decoded->text == text);
      REQUIRE(spelled(decoded->text, decoded->spelling) == json);
    }
  }
}
