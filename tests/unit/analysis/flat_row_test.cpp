// Plain rows without JSON: what is taken must be what a reader of JSON takes.
#include "analysis/flat_row.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "analysis/raw_rows.h"

using namespace tare::analysis;
using nlohmann::json;

namespace {

const std::string row =
    R"({"request":1,"start":2,"round":3,"arm":"tare","task":"logs","mode":"unique","index":4,)"
    R"("phase":"measured","slice":5,"sequence":6,"sent_ns":7,"first_byte_ns":8,"last_byte_ns":9,)"
    R"("status":200,"sent_bytes":10,"sent_sha256":"aa","received_bytes":11,"received_sha256":"bb",)"
    R"("attempts":1,"reply_correct":true,"error":null})";

// Both ways say the same of a line, or the plain way says nothing.
void check_agreement(const std::string& line) {
  INFO(line);
  Names names;
  RequestRow plain;
  if (!plain_request_row(line, names, plain)) return;
  const json object = json::parse(line, nullptr, false);
  REQUIRE_FALSE(object.is_discarded());
  Fields fields(object);
  const RequestRow whole = request_row(fields, names);
  REQUIRE(fields.fault().empty());
  CHECK(plain.start == whole.start);
  CHECK(plain.round == whole.round);
  CHECK(plain.arm == whole.arm);
  CHECK(plain.mode == whole.mode);
  CHECK(plain.slice == whole.slice);
  CHECK(plain.measured == whole.measured);
  CHECK(plain.sent_ns == whole.sent_ns);
  CHECK(plain.last_byte_ns == whole.last_byte_ns);
  CHECK(plain.status == whole.status);
  CHECK(plain.sent_bytes == whole.sent_bytes);
  CHECK(plain.sent_sha256 == whole.sent_sha256);
  CHECK(plain.received_bytes == whole.received_bytes);
  CHECK(plain.received_sha256 == whole.received_sha256);
  CHECK(plain.attempts == whole.attempts);
  CHECK(plain.reply_correct == whole.reply_correct);
}

}  // namespace

TEST_CASE("a plain row is read without JSON, as JSON would be") {
  Names names;
  RequestRow plain;
  REQUIRE(plain_request_row(row, names, plain));
  CHECK(plain.arm == "tare");
  CHECK(plain.slice == 5);
  CHECK(plain.latency_ms() == Approx(2e-6));
  check_agreement(row);
}

TEST_CASE("what is not plain is left to the reader of JSON") {
  Names names;
  RequestRow plain;
  for (const std::string line :
       {"", "{", "[]", "{}", R"({"start":1})", R"({"start":1,"start":2})", R"({"a":[1]})",
        R"({"a":"\n"})", R"({"a":1.5})", R"({"a":01})", R"({"a":-})", R"({"a":1e3})",
        R"({"a":1234567890123456789})", R"({"a":tru})", R"({"a":1}x)", R"({"a" :1})",
        "{\"a\":\"\xc3\xa4\"}", "{\"a\":\"\x01\"}"}) {
    INFO(line);
    CHECK_FALSE(plain_request_row(line, names, plain));
  }
}

TEST_CASE("a row with bytes changed, lost or added is read the same both ways, or only as JSON") {
  std::mt19937 random(20261130);
  const std::string bytes = "{}[]\":,0123456789.-eEnulltruefalse \\\x01\xff" + std::string(1, '\0');
  for (int i = 0; i < 20'000; ++i) {
    std::string line = row;
    for (auto changes = 1 + random() % 3; changes > 0; --changes) {
      const std::size_t at = random() % line.size();
      const char byte = bytes[random() % bytes.size()];
      switch (random() % 3) {
        case 0:
          line[at] = byte;
          break;
        case 1:
          line.erase(at, 1);
          break;
        default:
          line.insert(at, 1, byte);
      }
    }
    check_agreement(line);
  }
}
