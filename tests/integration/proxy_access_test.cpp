// Who is served, and what of a client's credentials goes where.
#include <catch2/catch.hpp>
#include <csignal>
#include <string>

#include "proxy_fixture.h"
#include "tests/support/temporary_folder.h"

using namespace std::string_literals;
using namespace tare;
using namespace tare::test;

namespace {

const std::string token = "tare-canary-token-0123456789";

struct TokenFile {
  TokenFile() { REQUIRE(write_file(folder / "token", token + "\n")); }
  TemporaryFolder folder;
  std::string path = folder / "token";
};

}  // namespace

TEST_CASE("requests that a web page could make are refused before anything is forwarded") {
  Listener upstream;
  Proxy proxy(upstream.url());
  struct Case {
    const char* fields;
    const char* code;
  };
  const auto c =
      GENERATE(Case{"Host: evil.example\r\n", "host_not_allowed"},
               Case{"Host: localhost\r\nOrigin: https://evil.example\r\n", "origin_not_allowed"},
               Case{"Host: localhost\r\nOrigin: null\r\n", "origin_not_allowed"});
  auto client = proxy.connect();
  client.send("POST /v1/responses HTTP/1.1\r\n"s + c.fields +
              "Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}");
  const auto answer = client.read_to_end();
  CHECK(answer.starts_with("HTTP/1.1 403 Forbidden\r\nContent-Type: application/json\r\n"));
  CHECK(answer.find(R"("type":"permission_error","param":null,"code":")"s + c.code + "\"}}") !=
        std::string::npos);
  CHECK(answer.find("Access-Control") == std::string::npos);
  CHECK_FALSE(upstream.has_waiting());
}

TEST_CASE("a preflight of a foreign page is refused too") {
  Listener upstream;
  Proxy proxy(upstream.url());
  auto client = proxy.connect();
  client.send(
      "OPTIONS /v1/responses HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\n"
      "Access-Control-Request-Method: POST\r\n\r\n");
  CHECK(client.read_to_end().starts_with("HTTP/1.1 403 "));
  CHECK_FALSE(upstream.has_waiting());
}

TEST_CASE("a name that is allowed is served") {
  Listener upstream;
  Proxy proxy(upstream.url(), {"--allow-host", "proxy.example"});
  auto client = proxy.connect();
  client.send("GET / HTTP/1.1\r\nHost: proxy.example\r\nOrigin: https://proxy.example\r\n\r\n");
  auto served = upstream.accept();
  CHECK(served.read_head() == "GET / HTTP/1.1\r\nHost: " + upstream.authority() +
                                  "\r\nOrigin: https://proxy.example\r\n\r\n");
}

TEST_CASE("with a token only its holders are served, and the upstream does not see it") {
  Listener upstream;
  const TokenFile file;
  Proxy proxy(upstream.url(), {"--token-file", file.path});
  SECTION("none") {
    auto client = proxy.connect();
    client.send(post("/v1/responses", "{}", "Authorization: Bearer upstream-key\r\n"));
    const auto answer = client.read_to_end();
    CHECK(answer.starts_with("HTTP/1.1 401 Unauthorized\r\n"));
    CHECK(answer.find("proxy_token_required") != std::string::npos);
    CHECK_FALSE(upstream.has_waiting());
  }
  SECTION("in a field of its own") {
    auto client = proxy.connect();
    client.send(request("GET", "/", {},
                        "Authorization: Bearer upstream-key\r\nX-Tare-Token: " + token + "\r\n"));
    CHECK(upstream.accept().read_head() == "GET / HTTP/1.1\r\nHost: " + upstream.authority() +
                                               "\r\nAuthorization: Bearer upstream-key\r\n\r\n");
  }
  SECTION("as a bearer") {
    auto client = proxy.connect();
    client.send(request("GET", "/", {},
                        "x-api-key: upstream-key\r\nAuthorization: Bearer " + token + "\r\n"));
    CHECK(upstream.accept().read_head() == "GET / HTTP/1.1\r\nHost: " + upstream.authority() +
                                               "\r\nx-api-key: upstream-key\r\n\r\n");
  }
}

TEST_CASE("another address is listened on with a token and a name") {
  Listener upstream;
  const TokenFile file;
  // 0.0.0.0 is reached by 127.0.0.1 too.
  Proxy proxy(upstream.url(), {"--listen", "0.0.0.0:0", "--token-file", file.path, "--allow-host",
                               "proxy.example"});
  auto client = Peer::connect_to("http://127.0.0.1" + proxy.url().substr(proxy.url().rfind(':')));
  client.send("GET / HTTP/1.1\r\nHost: proxy.example\r\nX-Tare-Token: " + token + "\r\n\r\n");
  CHECK(upstream.accept().read_head().starts_with("GET / "));
}

TEST_CASE("a token among the trailers does not reach the upstream") {
  Listener upstream;
  Proxy proxy(upstream.url());
  auto client = proxy.connect();
  client.send("POST /upload HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
  client.send("1\r\na\r\n0\r\nX-Tare-Token: " + token + "\r\nAuthorization: Bearer " + token +
              "\r\nX-Sum: 1\r\n\r\n");
  auto served = upstream.accept();
  served.read_head();
  CHECK(served.read_chunked() == "aX-Sum: 1\r\n");
}

TEST_CASE("no error text, and no line of the log, holds what a client sent") {
  const auto secret = "canary-6f1d"s;
  const auto fields = "Authorization: Bearer " + secret + "\r\nx-api-key: " + secret +
                      "\r\nX-Tare-Token: " + secret + "\r\nCookie: s=" + secret + "\r\n";
  const auto target = "/v1/responses?key=" + secret;
  const auto body = "{\"input\":\"" + secret + "\"}";
  const auto whole = post(target, body, fields);
  const auto head = head_of(whole);
  Listener upstream;
  const TokenFile file;
  std::vector<std::string> options = {"--header-timeout",   "0.3", "--body-timeout",     "0.3",
                                      "--upstream-timeout", "0.3", "--max-header-bytes", "4096"};
  struct Case {
    const char* what;
    std::string sent;      // by the client
    std::string answered;  // by the upstream, which then closes; empty: it says nothing
    const char* status;
    bool reaches_upstream = true;
    bool needs_token = false;
  };
  const auto line = "POST " + target + " HTTP/1.1\r\n";
  const auto local = line + "Host: localhost\r\n" + fields;
  const auto c = GENERATE_COPY(
      Case{"token", whole, "", "401", false, true},
      Case{"host", line + "Host: " + secret + "\r\n" + fields + "\r\n", "", "403", false},
      Case{"origin", local + "Origin: http://" + secret + "\r\n\r\n", "", "403", false},
      Case{"target", "GET http://" + secret + "/ HTTP/1.1\r\nHost: localhost\r\n" + fields + "\r\n",
           "", "400", false},
      Case{"malformed", local + secret + "\r\n\r\n", "", "400", false},
      Case{"expectation", local + "Expect: " + secret + "\r\n\r\n", "", "417", false},
      Case{"coding", local + "Transfer-Encoding: " + secret + ", chunked\r\n\r\n", "", "501",
           false},
      Case{"version", "GET " + target + " HTTP/9.9\r\n" + fields + "\r\n", "", "505", false},
      Case{"too long", local + "X: " + std::string(5000, 'x') + "\r\n\r\n", "", "431", false},
      Case{"slow header", local, "", "408", false}, Case{"slow body", head + "{", "", "408", false},
      Case{"bad chunk", local + "Transfer-Encoding: chunked\r\n\r\n" + secret + "\r\n", "", "400",
           false},
      Case{"no answer in time", whole, "", "504"},
      Case{"not HTTP", whole, secret + " is not HTTP\r\n\r\n", "502"},
      Case{"bad coding", whole, "HTTP/1.1 200 OK\r\nTransfer-Encoding: " + secret + "\r\n\r\n",
           "502"},
      Case{"cut head", whole, "HTTP/1.1 200 OK\r\nX: " + secret, "502"},
      Case{"bad framing", whole,
           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + secret + "\r\n", "502"});
  CAPTURE(c.what);
  if (c.needs_token) options.insert(options.end(), {"--token-file", file.path});
  Proxy proxy(upstream.url(), options);
  auto client = proxy.connect();
  client.send(c.sent);
  if (c.reaches_upstream) {
    auto served = upstream.accept();
    CHECK(served.read_message().find(secret) != std::string::npos);
    if (!c.answered.empty()) {
      served.send(c.answered);
      served.end_sending();
    }
    const auto answer = client.read_message();
    CHECK(answer.starts_with("HTTP/1.1 "s + c.status));
    CHECK(answer.find(secret) == std::string::npos);
  } else {
    const auto answer = client.read_to_end();
    CHECK(answer.starts_with("HTTP/1.1 "s + c.status));
    CHECK(answer.find(secret) == std::string::npos);
    CHECK_FALSE(upstream.has_waiting());
  }
  CHECK(proxy.log().find(secret) == std::string::npos);
  CHECK(proxy.log().find(token) == std::string::npos);
}
