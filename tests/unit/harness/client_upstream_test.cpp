#include <catch2/catch.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/client.h"
#include "harness/scripted_reply.h"
#include "harness/upstream.h"
#include "tests/support/sockets.h"

using namespace tare;
using namespace tare::harness;
using tare::test::Peer;

namespace {

const std::atomic<int> not_interrupted = 0;

std::unique_ptr<Upstream> started_upstream() {
  auto upstream = start_upstream(system_clock());
  REQUIRE(upstream);
  return std::move(*upstream);
}

std::string header_of(const Received& received, std::string_view name) {
  for (const auto& [key, value] : received.headers) {
    if (key == name) return value;
  }
  return {};
}

}  // namespace

TEST_CASE("the upstream keeps the body byte for byte and its reply names it") {
  const auto upstream = started_upstream();
  const auto client = make_client(system_clock(), not_interrupted);
  const std::string body =
      "{\"model\":\"m\",\"stream\":false,\"pad\":\"" + std::string(50'000, 'x') + "\"}";
  const auto exchange = client->post(upstream->url() + "/v1/responses?a=b%20c", body, 10);
  REQUIRE_FALSE(exchange.error);
  CHECK(exchange.status == 200);
  const auto received = upstream->take();
  REQUIRE(received.size() == 1);
  CHECK(received[0].body == body);
  CHECK(received[0].method == "POST");
  CHECK(received[0].path == "/v1/responses?a=b%20c");
  CHECK(received[0].reply == exchange.reply);
  CHECK(received[0].upstream_request == 1);
  CHECK(upstream_request_of(exchange.reply) == 1);
  CHECK(upstream->take().empty());
}

TEST_CASE("times are those of one clock, in order") {
  const auto upstream = started_upstream();
  const auto client = make_client(system_clock(), not_interrupted);
  const auto exchange = client->post(upstream->url() + "/x", "{}", 10);
  const auto received = upstream->take();
  REQUIRE(received.size() == 1);
  REQUIRE(exchange.last_byte_ns);
  CHECK(exchange.sent_ns <= received[0].time_ns);
  CHECK(received[0].time_ns <= *exchange.first_byte_ns);
  CHECK(*exchange.first_byte_ns <= *exchange.last_byte_ns);
}

TEST_CASE("every reply has the same length and an id of its own") {
  const auto upstream = started_upstream();
  const auto client = make_client(system_clock(), not_interrupted);
  std::set<std::string> replies;
  std::set<std::size_t> sizes;
  for (int i = 0; i < 120; ++i) {
    const auto exchange = client->post(upstream->url() + "/v1/responses", "{}", 10);
    REQUIRE(exchange.status == 200);
    replies.insert(exchange.reply);
    sizes.insert(exchange.reply.size());
  }
  CHECK(replies.size() == 120);
  CHECK(sizes.size() == 1);
}

TEST_CASE("a reply's head and body come in one segment") {
  const auto upstream = started_upstream();
  Peer wire = Peer::connect_to(upstream->url());
  for (int i = 1; i <= 20; ++i) {
    wire.send("POST /v1/responses HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}");
    const std::string reply = wire.read_some();
    CHECK_THAT(reply, Catch::Matchers::StartsWith("HTTP/1.1 200 OK\r\n"));
    CHECK_THAT(reply, Catch::Matchers::EndsWith(scripted_reply(i)));
  }
}

TEST_CASE("requests that share a segment are all answered") {
  const auto upstream = started_upstream();
  Peer wire = Peer::connect_to(upstream->url());
  const std::string request = "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}";
  wire.send(request + request + "GET /health HTTP/1.1\r\nHost: x\r\n\r\n");
  CHECK_THAT(wire.read_until(scripted_reply(3)), Catch::Matchers::Contains(scripted_reply(1)) &&
                                                     Catch::Matchers::Contains(scripted_reply(2)));
  const auto received = upstream->take();
  REQUIRE(received.size() == 3);
  CHECK(received[2].path == "/health");
}

TEST_CASE("any method is answered with 200") {
  const auto upstream = started_upstream();
  for (const char* method : {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}) {
    Peer wire = Peer::connect_to(upstream->url());
    wire.send(std::string(method) + " /any/path HTTP/1.1\r\nHost: x\r\n\r\n");
    CHECK_THAT(wire.read_some(), Catch::Matchers::StartsWith("HTTP/1.1 200 OK\r\n"));
  }
  Peer wire = Peer::connect_to(upstream->url());
  wire.send("HEAD /health HTTP/1.1\r\nHost: x\r\n\r\n");
  CHECK_THAT(wire.read_some(), Catch::Matchers::StartsWith("HTTP/1.1 200 OK\r\n") &&
                                   Catch::Matchers::EndsWith("\r\n\r\n"));
}

TEST_CASE("an encoded body is kept as received, and credentials are not kept") {
  const auto upstream = started_upstream();
  Peer wire = Peer::connect_to(upstream->url());
  const std::string body = "not really gzip \x1f\x8b";
  wire.send(
      "POST /v1/responses HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer secret\r\n"
      "Content-Encoding: gzip\r\nAccept-Encoding: gzip, br\r\nUser-Agent: some-agent\r\n"
      "Content-Type: application/json\r\nRange: bytes=0-3\r\nContent-Length: " +
      std::to_string(body.size()) + "\r\n\r\n" + body);
  CHECK_THAT(wire.read_some(), Catch::Matchers::EndsWith(scripted_reply(1)));
  const auto received = upstream->take();
  REQUIRE(received.size() == 1);
  CHECK(received[0].body == body);
  CHECK(header_of(received[0], "content-encoding") == "gzip");
  CHECK(header_of(received[0], "user-agent") == "some-agent");
  CHECK(header_of(received[0], "content-type") == "application/json");
  for (const auto& [name, value] : received[0].headers) CHECK(value.find("secret") == value.npos);
}

TEST_CASE("a chunked body is put together") {
  const auto upstream = started_upstream();
  Peer wire = Peer::connect_to(upstream->url());
  wire.send(
      "POST /v1/responses HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n");
  CHECK_THAT(wire.read_some(), Catch::Matchers::EndsWith(scripted_reply(1)));
  const auto received = upstream->take();
  REQUIRE(received.size() == 1);
  CHECK(received[0].body == "abcdefg");
  CHECK(header_of(received[0], "transfer-encoding") == "chunked");
}

TEST_CASE("a body that asks for a stream gets several events and the same id") {
  const auto upstream = started_upstream();
  const auto client = make_client(system_clock(), not_interrupted);
  const auto exchange =
      client->post(upstream->url() + "/v1/responses", R"({"stream" : true,"input":[]})", 10);
  CHECK(exchange.status == 200);
  const auto received = upstream->take();
  REQUIRE(received.size() == 1);
  CHECK(exchange.reply == received[0].reply);
  CHECK_THAT(exchange.reply, Catch::Matchers::Contains("event: response.completed\n"));
  CHECK(upstream_request_of(exchange.reply) == received[0].upstream_request);
  CHECK(client->post(upstream->url() + "/v1/responses", "{}", 10).status == 200);
}

TEST_CASE("a reply has the shape of the API whose path was asked") {
  const auto upstream = started_upstream();
  const auto client = make_client(system_clock(), not_interrupted);
  const auto reply = [&](const char* path) {
    return client->post(upstream->url() + path, "{}", 10).reply;
  };
  CHECK(reply("/backend-api/codex/responses") == scripted_reply(1));
  CHECK(reply("/v1/chat/completions") == scripted_reply(2, Route::chat));
  CHECK(reply("/v1/messages?beta=true") == scripted_reply(3, Route::messages));
}

TEST_CASE("the word stream inside a string asks for nothing") {
  CHECK(asks_for_stream(R"({"stream":true})"));
  CHECK(asks_for_stream("{\"a\":\"stream\",\"stream\"\n: true}"));
  CHECK_FALSE(asks_for_stream(R"({"stream":false})"));
  CHECK_FALSE(asks_for_stream(R"({"output":"{\"stream\":true}"})"));
  CHECK_FALSE(asks_for_stream(R"({"output":"stream"})"));
  CHECK_FALSE(asks_for_stream(R"({"output":["stream")"));
}

TEST_CASE("many idle connections keep no new one waiting") {
  const auto upstream = started_upstream();
  std::vector<Peer> idle;
  for (int i = 0; i < 200; ++i) idle.push_back(Peer::connect_to(upstream->url()));
  const auto client = make_client(system_clock(), not_interrupted);
  CHECK(client->post(upstream->url() + "/v1/responses", "{}", 10).status == 200);
}

TEST_CASE("the server's CPU is that of its own threads, ended ones too") {
  const auto upstream = started_upstream();
  std::int64_t last_us = upstream->cpu_us();
  for (int i = 0; i < 3; ++i) {
    {
      const auto client = make_client(system_clock(), not_interrupted);
      const std::string body(1 << 20, 'x');
      for (int k = 0; k < 5; ++k) client->post(upstream->url() + "/x", body, 10);
    }
    const std::int64_t now_us = upstream->cpu_us();
    CHECK(now_us > last_us);
    last_us = now_us;
  }
}

TEST_CASE("a refused connection and a silent server are errors in one line") {
  std::string url;
  {
    const auto upstream = started_upstream();
    url = upstream->url();
  }
  const auto client = make_client(system_clock(), not_interrupted);
  const auto refused = client->post(url + "/x", "{}", 10);
  REQUIRE(refused.error);
  CHECK_FALSE(refused.timed_out);
  CHECK_FALSE(refused.status);
  CHECK(refused.error->find('\n') == refused.error->npos);

  const test::Listener silent;
  const auto late = client->post(silent.url() + "/x", "{}", 1);
  CHECK(late.timed_out);
  CHECK_FALSE(late.last_byte_ns);

  const std::atomic<int> interrupted = 2;
  const auto stopped =
      make_client(system_clock(), interrupted)->post(silent.url() + "/x", "{}", 600);
  CHECK(stopped.error);
  CHECK_FALSE(stopped.timed_out);
}

TEST_CASE("an id is found in a changed reply, and none where there is none") {
  CHECK(upstream_request_of("{ \"id\": \"resp_000000000042\", \"x\": 1}") == 42);
  CHECK_FALSE(upstream_request_of("{\"error\":\"no\"}"));
  CHECK_FALSE(upstream_request_of("\"resp_"));
  for (const Route route : {Route::responses, Route::chat, Route::messages}) {
    CHECK(upstream_request_of(scripted_reply(42, route)) == 42);
    CHECK(upstream_request_of(scripted_events(42, route).front()) == 42);
    CHECK(nlohmann::json::accept(scripted_reply(42, route)));
    for (const auto& event : scripted_events(42, route)) {
      const auto data = event.substr(event.find("data: ") + 6);
      CHECK((data == "[DONE]\n\n" || nlohmann::json::accept(data)));
    }
  }
}
