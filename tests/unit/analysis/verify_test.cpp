#include "analysis/verify.h"

#include <catch2/catch.hpp>

#include "analysis/results.h"
#include "common/files.h"
#include "tests/support/run_folder.h"

using namespace tare::analysis;
using tare::test::RunFolder;
using Commands = std::map<std::string, std::vector<std::string>>;

namespace {

Kept kept_by_tare(const RunFolder& folder) {
  const auto run = read_run(folder.path());
  REQUIRE(run.has_value());
  return make_results(*run).groups.at(1).find("tare")->kept;
}

}  // namespace

TEST_CASE("a decoder that gives the outputs back is counted once for each distinct body") {
  RunFolder folder;
  folder.write();
  const auto verified = verify_decoders(folder.path());
  REQUIRE(verified.has_value());
  CHECK(verified->bodies == 5);
  CHECK(verified->given_back == 5);
  CHECK(verified->reasons.empty());
  CHECK(kept_by_tare(folder).given_back == 5);
  CHECK(kept_by_tare(folder).cannot_be_told.empty());
}

TEST_CASE("what a decoder does not give back is told, with the reason") {
  RunFolder folder;
  folder.run["arms"][0]["decoder"] = {"cat"};
  folder.write();
  const auto verified = verify_decoders(folder.path());
  REQUIRE(verified.has_value());
  CHECK(verified->not_given_back == 5);
  CHECK(verified->reasons == std::set<std::string>{"output 1 differs from byte 0 on"});
  CHECK(kept_by_tare(folder).not_given_back == 5);
}

TEST_CASE("a decoder that fails has not given anything back") {
  RunFolder folder;
  folder.run["arms"][0]["decoder"] = {"sh", "-c", "exit 3"};
  folder.write();
  const auto verified = verify_decoders(folder.path());
  REQUIRE(verified.has_value());
  CHECK(verified->not_given_back == 5);
  CHECK(verified->reasons == std::set<std::string>{"the decoder ended with exit code 3"});
}

TEST_CASE("where the decoder's program is not there it cannot be told") {
  RunFolder folder;
  folder.run["arms"][0]["decoder"] = {"/nowhere/at/all/expand", "--body"};
  folder.write();
  const auto verified = verify_decoders(folder.path());
  REQUIRE(verified.has_value());
  CHECK(verified->cannot_be_told == 5);
  CHECK(verified->reasons == std::set<std::string>{"the decoder expand cannot be run here"});
  CHECK(kept_by_tare(folder).cannot_be_told.at("the decoder expand cannot be run here") == 5);
  SECTION("and can be told with the command that stands here") {
    REQUIRE(verify_decoders(folder.path(), Commands{{"tare", {"sed", "s/<hb>/heartbeat/g"}}}));
    CHECK(kept_by_tare(folder).given_back == 5);
  }
}

TEST_CASE("a run that was not verified says so") {
  RunFolder folder;
  folder.write();
  CHECK(kept_by_tare(folder).cannot_be_told.size() == 1);
  CHECK(kept_by_tare(folder).given_back == 0);
}

TEST_CASE("verifying twice writes the same file") {
  RunFolder folder;
  folder.write();
  REQUIRE(verify_decoders(folder.path()).has_value());
  const auto once = tare::read_file(folder.path() / "fidelity.jsonl");
  REQUIRE(verify_decoders(folder.path()).has_value());
  CHECK(once.value() == tare::read_file(folder.path() / "fidelity.jsonl").value());
}

TEST_CASE("a decoder for an arm that the run does not have is wrong usage") {
  RunFolder folder;
  folder.write();
  const auto verified = verify_decoders(folder.path(), Commands{{"nobody", {"cat"}}});
  REQUIRE_FALSE(verified.has_value());
  CHECK(verified.error().code == tare::Error::Code::usage);
}
