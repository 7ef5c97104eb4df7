#include "proxy/server/frames.h"

#include <catch2/catch.hpp>
#include <string>

using namespace std::string_literals;
using namespace tare::server;

namespace {

const auto small = "\x81\x02hi"s;
const auto masked_ping = "\x89\x81\x01\x02\x03\x04x"s;
const auto fragments =
    "\x01\x01"
    "a"
    "\x89\0"
    "\0\x01"
    "b"
    "\x80\x01"
    "c"s;
const auto long_frame = "\x82\x7e\x01\x00"s + std::string(256, 'x');
const auto longer_frame = "\x82\x7f\0\0\0\0\0\x01\0\0"s + std::string(65536, 'x');

}  // namespace

TEST_CASE("where a message ends is known however the bytes are cut") {
  const auto message = GENERATE(small, masked_ping, fragments, long_frame, longer_frame);
  const auto step = GENERATE(std::size_t{1}, std::size_t{7}, std::size_t{100000});
  FrameCursor cursor;
  for (std::size_t at = 0; at < message.size(); at += step) {
    CHECK(cursor.is_between() == (at == 0));
    const auto part = message.substr(at, step);
    REQUIRE(cursor.advance(part, false) == part.size());
  }
  CHECK(cursor.is_between());
  CHECK_FALSE(cursor.has_closed());
}

TEST_CASE("a cursor that is to stop does so at the end of the message") {
  FrameCursor cursor;
  CHECK(cursor.advance(small, true) == 0);
  CHECK(cursor.advance(fragments.substr(0, 4), false) == 4);
  CHECK(cursor.advance(fragments.substr(4) + small + small, true) == fragments.size() - 4);
  CHECK(cursor.is_between());
}

TEST_CASE("our close frame says 1001, with a mask of its own where it goes to a server") {
  const auto plain = going_away(false);
  CHECK(plain.substr(0, 1) == "\x88");
  CHECK(plain.substr(2, 2) == "\x03\xe9");
  CHECK(static_cast<std::size_t>(plain[1]) == plain.size() - 2);
  FrameCursor cursor;
  const auto masked = going_away(true);
  CHECK(cursor.advance(masked, false) == masked.size());
  CHECK((cursor.is_between() && cursor.has_closed()));
  std::string text;
  append_masked(text, std::string_view(masked).substr(6),
                {masked[2], masked[3], masked[4], masked[5]});
  CHECK(text == plain.substr(2));
}
