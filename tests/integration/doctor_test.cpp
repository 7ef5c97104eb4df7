#include <catch2/catch.hpp>

#include "common/subprocess.h"

namespace tare {

TEST_CASE("tare doctor tells the grade, and what of it, and always ends well") {
  SubprocessOptions options;
  options.argv = {TARE_BIN_DIR "/tare", "doctor", "--out", "/no/such/folder"};
  const auto output = run_to_end(options, "", std::chrono::seconds(120));
  REQUIRE(output);
  CHECK(output->status.ok());
  CHECK(output->err.empty());
  CHECK_THAT(output->out, Catch::Contains("CPU and memory  grade "));
  CHECK_THAT(output->out, Catch::Contains("! runs            /no/such/folder: No such file"));
  CHECK_THAT(output->out, Catch::Contains("better: name another folder"));
}

}  // namespace tare
