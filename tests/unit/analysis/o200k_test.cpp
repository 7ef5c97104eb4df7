#include "analysis/o200k.h"

#include <catch2/catch.hpp>
#include <string>

#include "common/files.h"
#include "tests/support/temporary_folder.h"

using tare::Error;
using tare::analysis::O200k;

namespace {

// a 0, b 1, c 2, ab 3, bc 4, abab 5, cc 6, a blank before a 7.
const std::string small_ranks =
    "YQ== 0\nYg== 1\nYw== 2\nYWI= 3\nYmM= 4\nYWJhYg== 5\nY2M= 6\nIGE= 7\n";

O200k small() {
  auto made = O200k::parse(small_ranks, "small");
  REQUIRE(made);
  return std::move(*made);
}

}  // namespace

TEST_CASE("pairs are merged in the order of their ranks, then from the left") {
  const O200k ranks = small();
  CHECK(ranks.count("") == 0);
  CHECK(ranks.count("a") == 1);
  CHECK(ranks.count("abc") == 2);  // ab c: 3 is before 4
  CHECK(ranks.count("bc") == 1);
  CHECK(ranks.count("ccc") == 2);  // cc c
  CHECK(ranks.count("abab") == 1);
  CHECK(ranks.count("ababab") == 2);  // abab ab
  CHECK(ranks.count("aabc") == 3);    // a ab c
  CHECK(ranks.count("bca") == 2);     // bc a
}

TEST_CASE("nothing is merged over the end of a piece") {
  const O200k ranks = small();
  CHECK(ranks.count("b c") == 3);  // b, then the piece " c", which has no rank
  CHECK(ranks.count("b a") == 2);  // b, " a"
  CHECK(ranks.count("a\na") == 3);
}

TEST_CASE("bytes without a rank are a token each; what is not UTF-8 is U+FFFD") {
  const O200k ranks = small();
  CHECK(ranks.count("xyz") == 3);
  CHECK(ranks.count("\xE2\x82\xAC") == 3);
  CHECK(ranks.count("\xFF") == 3);
  CHECK(ranks.count("\xE2\x82") == 3);  // one cut sequence
  CHECK(ranks.count("a\xC3"
                    "b") == 5);
  CHECK(ranks.count(std::string(1, '\0')) == 1);
}

TEST_CASE("a piece of a million bytes takes no square of them") {
  const O200k ranks = small();
  std::string text;
  for (int i = 0; i < 1 << 19; ++i) text += "ab";
  CHECK(ranks.count(text) == 1 << 18);
  CHECK(ranks.count(std::string(1 << 20, 'c')) == 1 << 19);
  CHECK(ranks.count(std::string(1 << 20, 'x')) == 1 << 20);
}

TEST_CASE("ranks that are not what they should be are refused, with their place") {
  for (const std::string wrong :
       {"YQ==", "YQ== ", "YQ== x", "YQ== 1 ", "YQ== -1", "?? 1", " 1", "YQ== 4294967295"}) {
    const auto made = O200k::parse("Yg== 0\n" + wrong + "\n", "small");
    REQUIRE_FALSE(made);
    CHECK(made.error().code == Error::Code::invalid);
    CHECK(made.error().message == "small, line 2: expected \"BASE64 RANK\"");
  }
}

TEST_CASE("a file of ranks must be there, and be o200k_base") {
  const tare::test::TemporaryFolder folder;
  const auto file = folder / "ranks";
  const auto absent = O200k::read(file);
  REQUIRE_FALSE(absent);
  CHECK(absent.error().code == Error::Code::missing);
  CHECK(absent.error().remedy == "type: tare tokens install");
  REQUIRE(tare::write_file(file, small_ranks));
  const auto other = O200k::read(file);
  REQUIRE_FALSE(other);
  CHECK(other.error().code == Error::Code::invalid);
}
