// Request bodies in a content coding: decoded, rewritten and sent on in the same coding, or not
// touched at all.
#include <catch2/catch.hpp>
#include <string>

#include "proxy/wire/coding.h"
#include "proxy/wire/wire.h"
#include "proxy_fixture.h"

using namespace std::string_literals;
using namespace tare::test;
using tare::wire::Coding;

namespace {

const auto target = "/v1/responses"s;

std::string body(int lines) {
  std::string log;
  for (int i = 0; i < lines; ++i) {
    log += "2026-09-15T12:00:00Z INFO heartbeat healthy worker=worker-" + std::to_string(i % 3) +
           "\\n";
  }
  return R"({"input":[{"type":"function_call_output","call_id":"c","output":")" + log + R"("}]})";
}

std::string encoded(Coding coding, std::string_view text) {
  auto result = tare::wire::encode(coding, text);
  REQUIRE(result);
  return *result;
}

// What the upstream gets of a body that a client sends so.
std::string forwarded(std::string_view name, const std::string& sent,
                      const std::vector<std::string>& options = {}) {
  Listener upstream;
  Proxy proxy(upstream.url(), options);
  auto client = proxy.connect();
  const auto field = "Content-Encoding: " + std::string(name) + "\r\n";
  client.send(post(target, sent, field));
  auto served = upstream.accept();
  const auto message = served.read_message();
  CHECK(message.find("\r\n" + field) != std::string::npos);
  served.send(reply("ok"));
  CHECK(client.read_message() == reply("ok"));
  return body_of(message);
}

struct Named {
  const char* name;
  Coding coding;
};

}  // namespace

TEST_CASE("a coded body is rewritten and sent on in its coding") {
  const auto c = GENERATE(Named{"gzip", Coding::gzip}, Named{"x-gzip", Coding::gzip},
                          Named{"deflate", Coding::deflate}, Named{"br", Coding::br},
                          Named{"ZSTD", Coding::zstd});
  CAPTURE(c.name);
  // Decoded on the event loop, and beside it.
  const auto original = body(GENERATE(300, 5000));
  const auto got = forwarded(c.name, encoded(c.coding, original));
  const auto decoded = tare::wire::decode(c.coding, got, [](std::size_t) { return true; });
  REQUIRE(decoded);
  CHECK((*decoded == tare::wire::rewrite(target, original, {}).body));
}

TEST_CASE("a coded body with nothing to rewrite is sent byte for byte") {
  for (const auto c : {Named{"gzip", Coding::gzip}, Named{"zstd", Coding::zstd}}) {
    const auto sent = encoded(c.coding, R"({"input":[]})");
    CHECK(forwarded(c.name, sent) == sent);
  }
}

TEST_CASE("what cannot be decoded is sent byte for byte") {
  struct Case {
    const char* what;
    const char* name;
    std::string sent;
  };
  const auto zstd = encoded(Coding::zstd, body(300));
  const auto gzip = encoded(Coding::gzip, body(300));
  const auto c =
      GENERATE_COPY(Case{"two codings", "gzip, zstd", zstd},
                    Case{"the same twice", "gzip, gzip", gzip}, Case{"unknown", "aes128gcm", zstd},
                    Case{"wrong name", "gzip", zstd}, Case{"not coded at all", "zstd", body(300)},
                    Case{"cut off", "zstd", zstd.substr(0, zstd.size() / 2)},
                    Case{"something behind it", "gzip", gzip + "x"},
                    Case{"not JSON", "br", "\x0b\x02\x80hello\x03"});
  CAPTURE(c.what);
  CHECK(forwarded(c.name, c.sent) == c.sent);
}

TEST_CASE("a bomb is sent on as it came, and costs no more than the limit") {
  const auto c = GENERATE(Named{"gzip", Coding::gzip}, Named{"deflate", Coding::deflate},
                          Named{"br", Coding::br}, Named{"zstd", Coding::zstd});
  // 64 MB in a few hundred bytes to 64 KB.
  static const std::string blanks(std::size_t{64} << 20, ' ');
  const auto bomb = encoded(c.coding, blanks);
  SECTION("by the length of a body") {
    CHECK((forwarded(c.name, bomb, {"--max-body-bytes", "1000000"}) == bomb));
  }
  SECTION("by what may be held") {
    CHECK((forwarded(c.name, bomb, {"--max-held-bytes", "1000000"}) == bomb));
  }
}

TEST_CASE("a body whose bytes the head vouches for is not rewritten") {
  const auto original = body(300);
  Listener upstream;
  Proxy proxy(upstream.url());
  auto client = proxy.connect();
  const auto* const field =
      GENERATE("Content-Digest: sha-256=:x:\r\n", "Digest: SHA-256=x\r\n",
               "Repr-Digest: sha-256=:x:\r\n", "Content-MD5: x\r\n", "X-Amz-Content-Sha256: x\r\n");
  client.send(post(target, original, field));
  CHECK(body_of(upstream.accept().read_message()) == original);
}
