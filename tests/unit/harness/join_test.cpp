#include "harness/join.h"

#include <catch2/catch.hpp>

#include "common/hash.h"
#include "harness/scripted_reply.h"

using namespace tare;
using namespace tare::harness;

namespace {

const PreparedBody& body() {
  static const PreparedBody prepared = [] {
    PreparedBody made;
    made.body.text = "sent";
    made.sha256 = sha256_hex(made.body.text);
    return made;
  }();
  return prepared;
}

// Sent at `at`, answered at `at` + 9 with the upstream's reply of that id.
SentRequest sent(std::int64_t at, std::int64_t reply_id) {
  SentRequest request;
  request.body = &body();
  request.exchange.sent_ns = at;
  request.exchange.first_byte_ns = at + 8;
  request.exchange.last_byte_ns = at + 9;
  request.exchange.status = 200;
  request.exchange.reply = scripted_reply(reply_id);
  return request;
}

Received receipt(std::int64_t id, std::int64_t time_ns, const std::string& text = "sent") {
  Received received;
  received.upstream_request = id;
  received.time_ns = time_ns;
  received.body = text;
  received.reply = scripted_reply(id);
  return received;
}

}  // namespace

TEST_CASE("a request is joined to the receipt whose reply came back") {
  const std::vector requests{sent(100, 1), sent(200, 2)};
  const std::vector receipts{receipt(1, 105), receipt(2, 205, "smaller")};
  const auto joined = join(requests, receipts, 7);
  REQUIRE(joined.requests.size() == 2);
  CHECK(joined.requests[0].request == 7);
  CHECK(joined.requests[0].received_sha256 == body().sha256);
  CHECK(joined.requests[1].received_bytes == 7);
  CHECK(joined.requests[1].received_sha256 == sha256_hex("smaller"));
  for (const RequestRow& row : joined.requests) {
    CHECK(row.attempts == 1);
    CHECK(row.reply_correct);
    CHECK_FALSE(row.failed());
  }
  REQUIRE(joined.receipts.size() == 2);
  CHECK(joined.receipts[1].request == 8);
  CHECK(joined.receipts[1].sha256 == sha256_hex("smaller"));
}

TEST_CASE("what a retrying arm forwarded is that of the attempt it answered with") {
  const std::vector requests{sent(100, 2)};
  const std::vector receipts{receipt(1, 103, "first"), receipt(2, 105, "second"),
                             receipt(3, 107, "third")};
  const auto joined = join(requests, receipts, 1);
  CHECK(joined.requests[0].attempts == 3);
  CHECK(joined.requests[0].received_sha256 == sha256_hex("second"));
  for (const UpstreamRow& row : joined.receipts) CHECK(row.request == 1);
}

TEST_CASE("a receipt that came while no request was under way belongs to none") {
  const std::vector requests{sent(100, 1), sent(200, 2)};
  const std::vector receipts{receipt(9, 50), receipt(1, 105), receipt(10, 150), receipt(2, 205),
                             receipt(11, 300)};
  const auto joined = join(requests, receipts, 1);
  for (const std::size_t place : {0UZ, 2UZ, 4UZ}) CHECK_FALSE(joined.receipts[place].request);
  for (const RequestRow& row : joined.requests) CHECK(row.attempts == 1);
}

TEST_CASE("a request without an answer keeps its attempts, and what was received is not told") {
  SentRequest request = sent(100, 1);
  request.exchange.reply.clear();
  request.exchange.status.reset();
  request.exchange.last_byte_ns.reset();
  request.exchange.error = "timed out";
  const std::vector receipts{receipt(1, 105), receipt(2, 500)};
  const auto joined = join(std::vector{request}, receipts, 1);
  CHECK(joined.requests[0].attempts == 2);
  CHECK_FALSE(joined.requests[0].received_bytes);
  CHECK_FALSE(joined.requests[0].reply_correct);
  CHECK(joined.requests[0].failed());
}

TEST_CASE("a reply with other bytes is joined by its id and not correct") {
  SentRequest request = sent(100, 1);
  request.exchange.reply.insert(1, " ");
  const auto joined = join(std::vector{request}, std::vector{receipt(1, 105)}, 1);
  CHECK(joined.requests[0].received_bytes == 4);
  CHECK_FALSE(joined.requests[0].reply_correct);
}

TEST_CASE("a rewritten reply counts when it holds the upstream's id, where the arm does that") {
  auto request = sent(100, 1);
  request.exchange.reply += " and more";
  const std::vector requests{request};
  const std::vector receipts{receipt(1, 105)};
  CHECK_FALSE(join(requests, receipts, 7).requests[0].reply_correct);
  CHECK(join(requests, receipts, 7, true).requests[0].reply_correct);
  const std::vector others{receipt(2, 105)};
  CHECK_FALSE(join(requests, others, 7, true).requests[0].reply_correct);
}
