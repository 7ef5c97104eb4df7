// Upstreams behind TLS, and several upstreams by path.
#include <catch2/catch.hpp>
#include <future>
#include <string>

#include "common/files.h"
#include "proxy_fixture.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tls_front.h"

using namespace std::string_literals;
using namespace tare;
using namespace tare::test;
using Catch::Matchers::Contains;

namespace {

// A test's CA in a file, and an upstream behind TLS whose plain side the test is.
struct Secure {
  explicit Secure(const std::string& names = "DNS:localhost,IP:127.0.0.1", bool expired = false)
      : front(authority.issue(names, expired), upstream.url()) {
    REQUIRE(write_file(folder / "ca.pem", authority.certificate()));
  }
  std::vector<std::string> trusting() const { return {"--ca-file", folder / "ca.pem"}; }

  TemporaryFolder folder;
  TestAuthority authority;
  Listener upstream;
  TlsFront front;
};

}  // namespace

TEST_CASE("an upstream behind TLS is spoken to by name and by address") {
  Secure secure;
  const auto host = GENERATE(as<std::string>(), "localhost", "127.0.0.1");
  Proxy proxy(secure.front.url(host) + "/prefix", secure.trusting());
  auto client = proxy.connect();
  client.send(post("/v1/x", "hello"));
  auto served = secure.upstream.accept();
  const auto message = served.read_message();
  CHECK(message.starts_with(
      "POST /prefix/v1/x HTTP/1.1\r\nHost: " + secure.front.url(host).substr(8) + "\r\n"));
  CHECK(body_of(message) == "hello");
  served.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n");
  CHECK(client.read_until("first\r\n").ends_with("5\r\nfirst\r\n"));
  served.send("0\r\n\r\n");
  CHECK(client.read_until("0\r\n\r\n") == "0\r\n\r\n");
  // The connection is kept.
  client.send(post("/v1/x", "again"));
  CHECK(body_of(served.read_message()) == "again");
}

TEST_CASE("large bodies pass both ways through TLS") {
  Secure secure;
  Proxy proxy(secure.front.url("localhost"), secure.trusting());
  auto client = proxy.connect();
  std::string body(std::size_t{8} << 20, '\0');
  for (std::size_t i = 0; i < body.size(); ++i) body[i] = static_cast<char>(i * 2654435761U >> 13);
  auto sending = std::async(std::launch::async, [&] { return client.send(post("/upload", body)); });
  auto served = secure.upstream.accept();
  CHECK((body_of(served.read_message()) == body));
  CHECK(sending.get());
  auto answering = std::async(std::launch::async, [&] { return served.send(reply(body)); });
  CHECK((body_of(client.read_message()) == body));
  CHECK(answering.get());
}

TEST_CASE("an upstream that cannot show who it is gets nothing") {
  struct Case {
    const char *what, *names;
    bool expired, trusted;
    const char* words;
  };
  const auto c =
      GENERATE(Case{"unknown CA", "DNS:localhost", false, false, "local issuer certificate"},
               Case{"other name", "DNS:other.example", false, true, "ostname mismatch"},
               Case{"only an address", "IP:127.0.0.1", false, true, "ostname mismatch"},
               Case{"expired", "DNS:localhost", true, true, "expired"});
  CAPTURE(c.what);
  Secure secure(c.names, c.expired);
  Proxy proxy(secure.front.url("localhost"),
              c.trusted ? secure.trusting() : std::vector<std::string>{});
  auto client = proxy.connect();
  client.send(post("/v1/responses", "{}", "Authorization: Bearer canary\r\n"));
  const auto answer = client.read_message();
  CHECK(answer.starts_with("HTTP/1.1 502 "));
  CHECK_THAT(answer, Contains("certificate is refused") && Contains(c.words));
  CHECK_THAT(answer, Contains("upstream_unreachable") && !Contains("canary"));
  CHECK_FALSE(secure.upstream.has_waiting());
}

TEST_CASE("an upstream that does not speak TLS gives 502") {
  Listener upstream;
  Proxy proxy("https://" + upstream.authority());
  auto client = proxy.connect();
  client.send(request("GET", "/"));
  auto served = upstream.accept();
  served.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
  CHECK(client.read_message().starts_with("HTTP/1.1 502 "));
}

TEST_CASE("a body that only a proper end of TLS can end is cut when there is none") {
  Secure secure;
  Proxy proxy(secure.front.url("localhost"), secure.trusting());
  auto client = proxy.connect();
  client.send(request("GET", "/"));
  auto served = secure.upstream.accept();
  served.read_head();
  served.send("HTTP/1.1 200 OK\r\n\r\nbeginning");
  client.read_until("beginning\r\n");
  SECTION("proper") {
    served.close();
    CHECK(client.read_until("0\r\n\r\n") == "0\r\n\r\n");
  }
  SECTION("cut") {
    served.reset();
    CHECK(client.read_to_end().empty());
  }
}

TEST_CASE("paths can have upstreams of their own") {
  Listener main;
  Listener messages;
  Listener counts;
  Proxy proxy(main.url(), {"--route", "/v1/messages=" + messages.url() + "/anthropic", "--route",
                           "/v1/messages/count_tokens=" + counts.url()});
  auto client = proxy.connect();
  struct Case {
    const char* target;
    Listener& upstream;
    const char* start;
  };
  for (const auto& c :
       {Case{"/v1/responses", main, "POST /v1/responses "},
        Case{"/v1/messages?beta=true", messages, "POST /anthropic/v1/messages?beta=true "},
        Case{"/v1/messages/count_tokens", counts, "POST /v1/messages/count_tokens "},
        Case{"/v1/messages2", main, "POST /v1/messages2 "}}) {
    CAPTURE(c.target);
    client.send(post(c.target, "{}"));
    auto served = c.upstream.accept();
    const auto message = served.read_message();
    CHECK(message.starts_with(c.start));
    CHECK(message.find("\r\nHost: " + c.upstream.authority() + "\r\n") != std::string::npos);
    served.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok");
    CHECK(body_of(client.read_message()) == "ok");
  }
}

TEST_CASE("each upstream keeps its own connections") {
  Listener main;
  Listener other;
  Proxy proxy(main.url(), {"--route", "/other=" + other.url()});
  auto client = proxy.connect();
  client.send(request("GET", "/"));
  auto first = main.accept();
  first.read_head();
  first.send(reply("main"));
  client.read_message();
  client.send(request("GET", "/other"));
  auto second = other.accept();
  CHECK(second.read_head().starts_with("GET /other "));
  second.send(reply("other"));
  CHECK(client.read_message() == reply("other"));
  client.send(request("GET", "/again"));
  CHECK(first.read_head().starts_with("GET /again "));
}
