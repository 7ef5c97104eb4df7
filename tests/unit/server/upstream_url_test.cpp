#include "proxy/server/upstream_url.h"

#include <catch2/catch.hpp>

using namespace tare::server;
using Catch::Matchers::Contains;

TEST_CASE("an upstream's host, port, authority and prefix are read from its URL") {
  struct Case {
    const char *url, *host;
    int port;
    const char *authority, *prefix;
  };
  const auto c =
      GENERATE(Case{"http://api.example.com", "api.example.com", 80, "api.example.com", ""},
               Case{"http://127.0.0.1:8080/", "127.0.0.1", 8080, "127.0.0.1:8080", ""},
               Case{"http://127.0.0.1:80/a", "127.0.0.1", 80, "127.0.0.1", "/a"},
               Case{"http://[::1]:8080/a/b//", "::1", 8080, "[::1]:8080", "/a/b"},
               Case{"http://[fe80::1]", "fe80::1", 80, "[fe80::1]", ""});
  CAPTURE(c.url);
  const auto url = parse_upstream_url(c.url, "--upstream");
  REQUIRE(url);
  CHECK(url->host == c.host);
  CHECK(url->port == c.port);
  CHECK(url->authority == c.authority);
  CHECK(url->prefix == c.prefix);
}

TEST_CASE("a URL that cannot be an upstream is a usage error") {
  for (const auto* url : {"",
                          "api.example.com",
                          "ftp://a",
                          "http://",
                          "http:///a",
                          "http://:80",
                          "http://a:0",
                          "http://a:",
                          "http://a:65536",
                          "http://a:8x",
                          "http://a?b=c",
                          "http://a/#b",
                          "http://a b",
                          "http://a/b c",
                          "http://[::1",
                          "http://[::1]x",
                          "http://[a]",
                          "http://a//b",
                          "http://a/\\b",
                          "http://a\r\nX: y"}) {
    CAPTURE(url);
    const auto parsed = parse_upstream_url(url, "--upstream");
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().exit_code() == 2);
    CHECK_FALSE(parsed.error().remedy.empty());
  }
}

TEST_CASE("a password in the URL is refused and not repeated") {
  const auto parsed = parse_upstream_url("http://user:secret@a/", "--upstream");
  REQUIRE_FALSE(parsed);
  CHECK_THAT(parsed.error().text(), !Contains("secret"));
}

TEST_CASE("https has its own port and is told apart") {
  const auto url = parse_upstream_url("https://api.example.com/v1/", "--upstream");
  REQUIRE(url);
  CHECK(url->tls);
  CHECK(url->port == 443);
  CHECK(url->authority == "api.example.com");
  CHECK(url->prefix == "/v1");
  CHECK(parse_upstream_url("https://a:80", "--upstream")->authority == "a:80");
  CHECK(parse_upstream_url("http://a:443", "--upstream")->authority == "a:443");
  CHECK_FALSE(parse_upstream_url("http://a", "--upstream")->tls);
}

TEST_CASE("a route is a path and a URL") {
  CHECK_FALSE(parse_route("/v1/messages=https://api.example.com/x?y"));
  const auto good = parse_route("/v1/messages/=https://api.example.com/x");
  REQUIRE(good);
  CHECK(good->prefix == "/v1/messages");
  CHECK(good->upstream.host == "api.example.com");
  CHECK(good->upstream.prefix == "/x");
  for (const auto* text : {"", "/a", "/a=", "a=http://b", "//a=http://b", "/a?b=http://c",
                           "=http://b", "/a=ftp://b", "/a b=http://c"}) {
    CAPTURE(text);
    const auto refused = parse_route(text);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().exit_code() == 2);
  }
}

TEST_CASE("a path is below another by whole segments") {
  for (const auto* target :
       {"/v1/messages", "/v1/messages/count_tokens", "/v1/messages?beta=true"}) {
    CHECK(is_below(target, "/v1/messages"));
    CHECK(is_below(target, ""));
  }
  for (const auto* target : {"/v1/messagesx", "/v1", "/V1/messages", "/x/v1/messages", "*"}) {
    CHECK_FALSE(is_below(target, "/v1/messages"));
  }
}

TEST_CASE("an address and a port can be listened on") {
  struct Case {
    const char *text, *address;
    int port;
    bool loopback;
  };
  const auto c =
      GENERATE(Case{"127.0.0.1:8787", "127.0.0.1", 8787, true},
               Case{"127.1.2.3:0", "127.1.2.3", 0, true}, Case{"localhost:1", "127.0.0.1", 1, true},
               Case{"[::1]:65535", "::1", 65535, true}, Case{"0.0.0.0:80", "0.0.0.0", 80, false},
               Case{"[::]:80", "::", 80, false}, Case{"128.0.0.1:80", "128.0.0.1", 80, false});
  const auto address = parse_listen_address(c.text, "--listen");
  REQUIRE(address);
  CHECK(address->address == c.address);
  CHECK(address->port == c.port);
  CHECK(address->loopback == c.loopback);
  for (const auto* text : {"example.com:80", "127.0.0.1", "", ":80", "127.0.0.1:", "127.0.0.1:x",
                           "127.0.0.1:65536", "::1:80", "[127.0.0.1]:80"}) {
    CAPTURE(text);
    const auto refused = parse_listen_address(text, "--listen");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().exit_code() == 2);
  }
}
