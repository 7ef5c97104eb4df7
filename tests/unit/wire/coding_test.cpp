#include "proxy/wire/coding.h"

#include <catch2/catch.hpp>
#include <string>

using namespace tare::wire;

namespace {

bool any_size(std::size_t) {
  return true;
}

std::string text() {
  std::string made;
  for (int i = 0; i < 20000; ++i) made += "line " + std::to_string(i * 7919 % 1000) + " of a log\n";
  return made;
}

}  // namespace

TEST_CASE("each coding gives back what it was given") {
  const auto coding =
      GENERATE(Coding::identity, Coding::gzip, Coding::deflate, Coding::br, Coding::zstd);
  for (const std::string& original :
       {std::string(), std::string("x"), std::string(3, '\0'), text()}) {
    const auto encoded = encode(coding, original);
    REQUIRE(encoded);
    if (coding != Coding::identity && original.size() > 1000) {
      CHECK(encoded->size() < original.size() / 4);
    }
    const auto decoded = decode(coding, *encoded, any_size);
    REQUIRE(decoded);
    CHECK((*decoded == original));
    CHECK((encode(coding, original) == encoded));
  }
}

TEST_CASE("what is broken, cut off or followed by something is not decoded") {
  const auto coding = GENERATE(Coding::gzip, Coding::deflate, Coding::br, Coding::zstd);
  const auto encoded = encode(coding, text()).value();
  CHECK_FALSE(decode(coding, "", any_size));
  CHECK_FALSE(decode(coding, R"({"input":[]})", any_size));
  for (std::size_t size : {std::size_t{1}, encoded.size() / 2, encoded.size() - 1}) {
    CHECK_FALSE(decode(coding, encoded.substr(0, size), any_size));
  }
  CHECK_FALSE(decode(coding, encoded + "{}", any_size));
  auto damaged = encoded;
  for (std::size_t i = damaged.size() / 2; i < damaged.size() / 2 + 20; ++i) damaged[i] ^= 0x55;
  const auto decoded = decode(coding, damaged, any_size);
  CHECK_FALSE((decoded && *decoded == text()));
}

TEST_CASE("a bomb is stopped where it may not grow") {
  const auto coding = GENERATE(Coding::gzip, Coding::deflate, Coding::br, Coding::zstd);
  const auto bomb = encode(coding, std::string(std::size_t{64} << 20, ' ')).value();
  CHECK(bomb.size() < std::size_t{1} << 20);
  std::size_t largest = 0;
  const auto limited = [&](std::size_t bytes) {
    largest = bytes;
    return bytes <= std::size_t{1} << 20;
  };
  CHECK_FALSE(decode(coding, bomb, limited));
  CHECK(largest == std::size_t{2} << 20);
}

TEST_CASE("several members or frames are one text") {
  CHECK(decode(Coding::gzip, *encode(Coding::gzip, "one") + *encode(Coding::gzip, "two"),
               any_size) == "onetwo");
  CHECK(decode(Coding::zstd, *encode(Coding::zstd, "one") + *encode(Coding::zstd, "two"),
               any_size) == "onetwo");
}

TEST_CASE("codings are known by their names") {
  CHECK(coding_named("ZSTD") == Coding::zstd);
  CHECK(coding_named("gzip") == Coding::gzip);
  CHECK(coding_named("x-gzip") == Coding::gzip);
  CHECK(coding_named("deflate") == Coding::deflate);
  CHECK(coding_named("Br") == Coding::br);
  CHECK(coding_named("identity") == Coding::identity);
  for (const auto* other : {"", "gzi", "gzipp", "aes128gcm", "compress"}) {
    CHECK_FALSE(coding_named(other));
  }
}
