#include "common/programs.h"

#include <catch2/catch.hpp>

#include "common/files.h"
#include "tests/support/temporary_folder.h"

using namespace tare;

TEST_CASE("a name without a slash is looked for in each folder of PATH, a path is itself") {
  using Candidates = std::vector<std::string>;
  CHECK(program_candidates("x", "/a:/b") == Candidates{"/a/x", "/b/x"});
  CHECK(program_candidates("./x", "/a:/b") == Candidates{"./x"});
}

TEST_CASE("a program is a file that may be executed") {
  CHECK(find_program("sh").value().filename() == "sh");
  CHECK_FALSE(find_program("no-such-program-anywhere"));
  CHECK_FALSE(find_program("/usr/bin/"));
  const test::TemporaryFolder folder;
  REQUIRE(write_file(folder / "x", "").has_value());
  CHECK_FALSE(find_program((folder / "x").string()));
}
