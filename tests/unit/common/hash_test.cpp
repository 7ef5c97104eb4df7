#include "common/hash.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/temporary_folder.h"

namespace tare {

TEST_CASE("SHA-256 gives the digests of FIPS 180-2") {
  CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_hex(std::string(1'000'000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  CHECK(sha256("abc").front() == 0xba);
}

TEST_CASE("a file's digest is that of its bytes, and a missing file an error that names it") {
  const test::TemporaryFolder folder;
  const std::string bytes("a\0b\n", 4);
  REQUIRE(write_file(folder / "f", bytes));
  CHECK(sha256_hex_of_file(folder / "f").value() == sha256_hex(bytes));
  const auto missing = sha256_hex_of_file(folder / "none");
  REQUIRE_FALSE(missing);
  CHECK_THAT(missing.error().message, Catch::Contains("none"));
}

}  // namespace tare
