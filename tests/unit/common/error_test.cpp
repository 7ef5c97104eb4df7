#include "common/error.h"

#include <catch2/catch.hpp>
#include <cerrno>

namespace tare {

TEST_CASE("an error's text is its message, with the remedy in parentheses when there is one") {
  CHECK(Error::io("disk: full").text() == "disk: full");
  CHECK(Error::missing("nginx: no such program", "apt install nginx-light").text() ==
        "nginx: no such program (apt install nginx-light)");
}

TEST_CASE("a system error ends in the system's words") {
  const auto error = Error::io_errno("/x: cannot open", ENOENT);
  CHECK(error.code == Error::Code::io);
  CHECK(error.message == "/x: cannot open: No such file or directory");
}

TEST_CASE("exit codes: 2 for wrong usage, 3 for a missing thing, 1 for the rest") {
  CHECK(Error::usage("").exit_code() == 2);
  CHECK(Error::missing("", "").exit_code() == 3);
  for (const auto& error : {Error::io(""), Error::invalid(""), Error::timed_out(""),
                            Error::crashed(""), Error::io_errno("", EIO)}) {
    CHECK(error.exit_code() == 1);
  }
}

}  // namespace tare
