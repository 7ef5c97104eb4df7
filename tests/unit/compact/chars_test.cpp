#include "proxy/compact/chars.h"

#include <catch2/catch.hpp>

using tare::compact::count_characters;
using tare::compact::hash_bytes;
using tare::compact::shape_key;

TEST_CASE("a well-formed sequence is one character, each other byte is one") {
  CHECK(count_characters("") == 0);
  CHECK(count_characters("abc") == 3);
  CHECK(count_characters("aé€👍") == 4);
  CHECK(count_characters("\xF0\x91\x8D x") == 5);  // cut
  CHECK(count_characters("\xC0\xAF") == 2);        // overlong
  CHECK(count_characters("\xE0\x9F\xBF") == 3);    // overlong
  CHECK(count_characters("\xED\x9F\xBF") == 1);    // the last before the surrogates
  CHECK(count_characters("\xED\xA0\x80") == 3);    // a surrogate
  CHECK(count_characters("\xEE\x80\x80") == 1);
  CHECK(count_characters("\xF4\x8F\xBF\xBF") == 1);  // the last code point
  CHECK(count_characters("\xF4\x90\x80\x80") == 4);
  CHECK(count_characters("\x80\xFF") == 2);
}

TEST_CASE("texts that differ only in their digits have one shape") {
  CHECK(shape_key("v12.5") == shape_key("v7.30"));
  CHECK(shape_key("v12.5") != shape_key("v12-5"));
  CHECK(shape_key("12a") != shape_key("a12"));
  CHECK(shape_key("") != shape_key("0"));
}

TEST_CASE("a hash sees every byte and the length") {
  CHECK(hash_bytes("12345678a") != hash_bytes("12345678b"));
  CHECK(hash_bytes("a") != hash_bytes(std::string_view("a\0", 2)));
  CHECK(hash_bytes("a", 1) != hash_bytes("a", 2));
}
