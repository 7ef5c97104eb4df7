#include "harness/retrieval.h"

#include <catch2/catch.hpp>

#include "harness/readiness.h"

using namespace tare::harness;

namespace {

class NamedArm final : public StartedArm {
 public:
  const std::vector<std::string>& argv() const override { return argv_; }
  const std::string& base_url() const override { return url_; }
  std::int64_t began_ns() const override { return 0; }
  std::int64_t ready_ns() const override { return 0; }
  Reading read() override { return {}; }
  Reading sample() const override { return {}; }
  std::optional<std::int64_t> private_bytes() override { return std::nullopt; }
  void reset_peak() override {}
  std::optional<std::string> gone() override { return std::nullopt; }
  StopReport stop() override { return {}; }
  int port() const { return port_; }

 private:
  std::vector<std::string> argv_;
  int port_ = free_port().value();
  std::string url_ = "http://127.0.0.1:" + std::to_string(port_) + "/base";
};

Manifest with_command(std::vector<std::string> command) {
  Manifest manifest;
  manifest.name = "x";
  manifest.retrieve = Retrieve{.marker = "<<([a-z]+)>>", .get = {}, .command = std::move(command)};
  return manifest;
}

}  // namespace

TEST_CASE("markers are found once each, in order, with their keys") {
  const auto markers = markers_in("a <<one>> b <<two>> <<one>> <<3>>", "<<([a-z]+)>>");
  REQUIRE(markers.size() == 2);
  CHECK(markers[0].text == "<<one>>");
  CHECK(markers[1].key == "two");
  CHECK(markers_in("", "<<([a-z]+)>>").empty());
}

TEST_CASE("a command is asked for each marker of a start once, with key and port filled in") {
  const NamedArm arm;
  const auto manifest = with_command({"/bin/echo", "{key}", "{port}", "{upstream}"});
  Retrieval retrieval(manifest, arm, "http://127.0.0.1:9");
  const auto first = retrieval.of("<<one>>", "hash");
  REQUIRE(first.size() == 1);
  const auto expected = "one " + std::to_string(arm.port()) + " http://127.0.0.1:9\n";
  CHECK(first[0].body == expected);
  CHECK(first[0].row.forwarded_sha256 == "hash");
  CHECK(first[0].row.marker == "<<one>>");
  CHECK(first[0].row.status == 0);
  CHECK(first[0].row.bytes == static_cast<std::int64_t>(expected.size()));
  CHECK_FALSE(first[0].row.error);
  CHECK(retrieval.of("<<one>> <<two>>", "other").size() == 1);
}

TEST_CASE("what cannot be got back is told") {
  const NamedArm arm;
  const auto failing = with_command({"/bin/false"});
  const auto failed = Retrieval(failing, arm, "").of("<<one>>", "hash");
  REQUIRE(failed.size() == 1);
  CHECK(failed[0].row.status == 1);
  CHECK(failed[0].row.error);
  CHECK_FALSE(failed[0].row.sha256);
  auto absent = with_command({});
  absent.retrieve->get = "/{key}";
  const auto none = Retrieval(absent, arm, "").of("<<one>>", "hash");
  REQUIRE(none.size() == 1);
  CHECK(none[0].row.error.value_or("").starts_with("no answer: "));
}
