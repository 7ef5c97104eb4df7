// Which request bodies are rewritten, and what the upstream gets then.
#include <catch2/catch.hpp>
#include <string>

#include "proxy/compact/compact.h"
#include "proxy/wire/wire.h"
#include "proxy_fixture.h"

using namespace std::string_literals;
using namespace tare::test;

namespace {

// A Responses body whose one tool output is a log that can be made much smaller.
std::string responses_body(int lines = 200) {
  std::string log;
  for (int i = 0; i < lines; ++i) {
    log += "2026-09-15T12:00:00Z INFO env=production heartbeat healthy worker=worker-" +
           std::to_string(i % 3) + "\\n";
  }
  return R"({"model" : "m", "n":1.0,"input":[{"type":"function_call_output","call_id":"c","output":")" +
         log + R"("}], "stream":false})";
}

std::string rewritten(const std::string& body) {
  const auto result = tare::wire::rewrite("/v1/responses", body, {});
  REQUIRE_FALSE(result.body.empty());
  CHECK(result.body.size() < body.size() / 4);
  return result.body;
}

}  // namespace

TEST_CASE(
    "tool outputs of a Responses request are rewritten and the length is that of the new body") {
  const auto body = responses_body();
  const auto smaller = rewritten(body);
  Listener upstream;
  Proxy proxy(upstream.url());
  auto client = proxy.connect();
  const auto* const target = GENERATE("/v1/responses", "/backend-api/codex/responses?x=1");
  client.send(post(target, body, "Authorization: Bearer t\r\n"));
  auto served = upstream.accept();
  CHECK(served.read_message() == "POST "s + target + " HTTP/1.1\r\nHost: " + upstream.authority() +
                                     "\r\nAuthorization: Bearer t\r\nContent-Length: " +
                                     std::to_string(smaller.size()) + "\r\n\r\n" + smaller);
  served.send(reply("ok"));
  CHECK(client.read_message() == reply("ok"));
}

TEST_CASE("a chunked Responses request is collected and sent with its length") {
  const auto body = responses_body();
  const auto smaller = rewritten(body);
  Listener upstream;
  Proxy proxy(upstream.url());
  auto client = proxy.connect();
  client.send(
      "POST /v1/responses HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (std::size_t at = 0; at < body.size(); at += 1000) {
    const auto piece = body.substr(at, 1000);
    char size[8];
    std::snprintf(size, sizeof size, "%zx\r\n", piece.size());
    client.send(size + piece + "\r\n");
  }
  client.send("0\r\nX-Sum: 1\r\n\r\n");
  CHECK(upstream.accept().read_message() ==
        "POST /v1/responses HTTP/1.1\r\nHost: " + upstream.authority() +
            "\r\nContent-Length: " + std::to_string(smaller.size()) + "\r\n\r\n" + smaller);
}

TEST_CASE("a body that waits to be asked for is asked for, since it is collected here") {
  const auto body = responses_body();
  Listener upstream;
  Proxy proxy(upstream.url());
  auto client = proxy.connect();
  client.send(
      "POST /v1/responses HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: " +
      std::to_string(body.size()) + "\r\n\r\n");
  CHECK(client.read_head() == "HTTP/1.1 100 Continue\r\n\r\n");
  client.send(body);
  auto served = upstream.accept();
  const auto message = served.read_message();
  CHECK(head_of(message).find("Expect") == std::string::npos);
  CHECK(body_of(message) == rewritten(body));
  served.send(reply("ok"));
  CHECK(client.read_message() == reply("ok"));
}

TEST_CASE("bodies that are not to be rewritten are sent as they came") {
  struct Case {
    const char *what, *target, *fields;
    std::vector<std::string> options;
  };
  const auto c =
      GENERATE(Case{"forward only", "/v1/responses", "", {"--forward-only"}},
               Case{"another path", "/v1/embeddings", "", {}},
               Case{"encoded", "/v1/responses", "Content-Encoding: zstd\r\n", {}},
               Case{"outputs below the threshold", "/v1/responses", "", {"--min-bytes", "100000"}},
               Case{"longer than the limit", "/v1/responses", "", {"--max-body-bytes", "1000"}},
               Case{"more than may be held", "/v1/responses", "", {"--max-held-bytes", "1000"}});
  CAPTURE(c.what);
  const auto body = responses_body();
  Listener upstream;
  Proxy proxy(upstream.url(), c.options);
  auto client = proxy.connect();
  client.send(post(c.target, body, c.fields));
  auto served = upstream.accept();
  CHECK(served.read_message() ==
        "POST "s + c.target + " HTTP/1.1\r\nHost: " + upstream.authority() + "\r\n" + c.fields +
            "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  served.send(reply("ok"));
  CHECK(client.read_message() == reply("ok"));
}

TEST_CASE("a chunked body that grows beyond the limit streams on unrewritten") {
  const auto body = responses_body(2000);
  // Whether the body's end is read together with the byte that is too much must not matter.
  const auto limit = GENERATE_COPY(std::size_t{100000}, body.size() - 1);
  Listener upstream;
  Proxy proxy(upstream.url(), {"--max-body-bytes", std::to_string(limit)});
  auto client = proxy.connect();
  char size[16];
  std::snprintf(size, sizeof size, "%zx\r\n", body.size());
  client.send(
      "POST /v1/responses HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"s +
      size + body + "\r\n0\r\n\r\n");
  auto served = upstream.accept();
  CHECK(served.read_head().find("\r\nTransfer-Encoding: chunked\r\n") != std::string::npos);
  CHECK(served.read_chunked() == body);
  served.send(reply("ok"));
  CHECK(client.read_message() == reply("ok"));
  client.send(post("/next", "x"));  // nothing of the body is left to be taken for a request
  CHECK(body_of(served.read_message()) == "x");
}

TEST_CASE("bodies that cannot be read are forwarded as they came") {
  const auto body = GENERATE(as<std::string>(), "not json", "{\"input\":[", "\xff\xfe", "[]", "{}");
  Listener upstream;
  Proxy proxy(upstream.url());
  auto client = proxy.connect();
  client.send(post("/v1/responses", body));
  CHECK(body_of(upstream.accept().read_message()) == body);
}

TEST_CASE("an empty body stays empty") {
  Listener upstream;
  Proxy proxy(upstream.url());
  auto client = proxy.connect();
  const auto* const length = GENERATE("", "Content-Length: 0\r\n");
  client.send("POST /v1/responses HTTP/1.1\r\nHost: localhost\r\n"s + length + "\r\n");
  CHECK(upstream.accept().read_head() ==
        "POST /v1/responses HTTP/1.1\r\nHost: " + upstream.authority() + "\r\n" + length + "\r\n");
}

TEST_CASE("a large body is rewritten beside the event loop, and others are served meanwhile") {
  const auto body = responses_body(60000);
  REQUIRE(body.size() > std::size_t{4} << 20);
  const auto smaller = rewritten(body);
  Listener upstream;
  Proxy proxy(upstream.url());
  auto client = proxy.connect();
  auto other = proxy.connect();
  client.send(post("/v1/responses", body));
  SECTION("and it comes as others do") {
    CHECK((body_of(upstream.accept().read_message()) == smaller));
  }
  SECTION("another request need not wait for it") {
    other.send(request("GET", "/other"));
    auto served = upstream.accept();
    CHECK(served.read_head().starts_with("GET /other "));
    served.send(reply("ok"));
    CHECK(other.read_message() == reply("ok"));
  }
  SECTION("a client that leaves is not waited for") {
    client.close();
    other.send(post("/v1/responses", responses_body()));
    CHECK(body_of(upstream.accept().read_message()) == rewritten(responses_body()));
    CHECK_FALSE(upstream.has_waiting());
  }
}

TEST_CASE("what is held is given back") {
  const auto body = responses_body();
  const auto smaller = rewritten(body);
  Listener upstream;
  Proxy proxy(upstream.url(), {"--max-held-bytes", std::to_string(body.size() * 2)});
  auto client = proxy.connect();
  for (int i = 0; i < 5; ++i) {
    client.send(post("/v1/responses", body));
    auto served = upstream.accept();
    CHECK(body_of(served.read_message()) == smaller);
    served.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    client.read_message();
  }
}
