// Requests that are refused, beyond those of framing_cases.json: an answer, the end of the
// connection, and nothing at the upstream.
#include <catch2/catch.hpp>
#include <string>

#include "proxy_fixture.h"

using namespace std::string_literals;
using namespace tare::test;

namespace {

struct Case {
  const char* what;
  std::string request;
  const char* status;
};

}  // namespace

TEST_CASE("what is no HTTP and what is too long is refused and ends the connection") {
  const auto c =
      GENERATE(Case{"not HTTP", "\x16\x03\x01\x02\r\n\r\n", "400"},
               Case{"a header of 70 KB",
                    "GET / HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(70000, 'x'), "431"},
               Case{"a target of 70 KB", "GET /" + std::string(70000, 'x'), "431"},
               Case{"very many fields",
                    "GET / HTTP/1.1\r\nHost: localhost\r\n" +
                        [] {
                          std::string fields;
                          while (fields.size() < 70000) fields += "X: 1\r\n";
                          return fields;
                        }(),
                    "431"});
  CAPTURE(c.what);
  Listener upstream;
  Proxy proxy(upstream.url());
  auto client = proxy.connect();
  // What follows must never be taken for a request of its own.
  client.send(c.request + "GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const auto answer = client.read_to_end();
  CHECK(answer.starts_with("HTTP/1.1 "s + c.status));
  CHECK(answer.find("\r\nConnection: close\r\n") != std::string::npos);
  CHECK(answer.find(R"({"error":{"message":")") != std::string::npos);
  CHECK(answer.find("}HTTP/1.1 ") == std::string::npos);
  CHECK_FALSE(client.was_reset());
  CHECK_FALSE(upstream.has_waiting());
}

TEST_CASE("a chunked body that is malformed is refused, and the upstream sees no end of it") {
  const auto bad = GENERATE(as<std::string>(), "x\r\n", "-1\r\n", "5\r\nfirstX\r\n",
                            "5 \nfirst\r\n", "\r\n", "5\r\nfirst\r\n0\r\nno colon\r\n\r\n");
  CAPTURE(bad);
  const auto* const target = GENERATE("/upload", "/v1/responses");
  Listener upstream;
  Proxy proxy(upstream.url());
  auto client = proxy.connect();
  client.send("POST "s + target +
              " HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" + bad +
              "0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n");
  CHECK(client.read_to_end().starts_with("HTTP/1.1 400 "));
  if (upstream.has_waiting()) {
    const auto seen = upstream.accept().read_to_end();
    CHECK(seen.find("0\r\n\r\n") == std::string::npos);
    CHECK(seen.find("smuggled") == std::string::npos);
  }
}

TEST_CASE("empty lines before a request are ignored") {
  Listener upstream;
  Proxy proxy(upstream.url());
  auto client = proxy.connect();
  client.send("\r\n\r\n" + request("GET", "/"));
  CHECK(upstream.accept().read_head().starts_with("GET / "));
}

TEST_CASE("a header or body that does not come in time is given up") {
  Listener upstream;
  Proxy proxy(upstream.url(),
              {"--header-timeout", "0.2", "--body-timeout", "0.2", "--idle-timeout", "0.2"});
  auto client = proxy.connect();
  SECTION("header") {
    client.send("GET / HTTP/1.1\r\nHost:");
    CHECK(client.read_to_end().starts_with("HTTP/1.1 408 "));
  }
  SECTION("body that is collected") {
    client.send("POST /v1/responses HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{");
    CHECK(client.read_to_end().starts_with("HTTP/1.1 408 "));
    CHECK_FALSE(upstream.has_waiting());
  }
  SECTION("body that streams through") {
    client.send("POST /upload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{");
    CHECK(client.read_to_end().starts_with("HTTP/1.1 408 "));
    CHECK(upstream.accept().read_to_end().ends_with("\r\n\r\n{"));
  }
  SECTION("next request") {
    CHECK(client.read_to_end().empty());
    CHECK_FALSE(client.was_reset());
  }
}
