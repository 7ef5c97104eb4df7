#include "proxy/server/access.h"

#include <catch2/catch.hpp>
#include <string>

using namespace tare::server;
using Catch::Matchers::Contains;

namespace {

const std::string token = "0123456789abcdef";

// The status a request with these fields is refused with, 0 when it may go on.
unsigned refused(const Access& access, std::vector<Field> fields) {
  const auto refusal = access.refuse({"POST", "/v1/responses", 11, std::move(fields)});
  if (refusal) CHECK_FALSE(refusal->reason.empty());
  return refusal ? refusal->status : 0;
}

}  // namespace

TEST_CASE("loopback's own names are served") {
  const Access access({});
  for (const auto* host :
       {"localhost", "LOCALHOST:8787", "127.0.0.1:1", "127.9.8.7", "[::1]", "[::1]:8787"}) {
    CAPTURE(host);
    CHECK(refused(access, {{"Host", host}}) == 0);
    CHECK(refused(access, {{"Host", "localhost"}, {"Origin", "http://" + std::string(host)}}) == 0);
  }
  CHECK(refused(access, {}) == 0);  // HTTP/1.0: no browser leaves Host out
}

TEST_CASE("a name that only leads to loopback is not served") {
  const Access access({});
  for (const auto* host :
       {"evil.example", "localhost.evil.example:8787", "127.0.0.1.evil.example", "evil.localhost",
        "128.0.0.1", "0.0.0.0", "127.0.0.1@evil", "[::1", "[::1]x", "", ":80", "[::ffff:127.0.0.1]",
        "127.1", "0x7f000001", "2130706433", "127.000.000.001"}) {
    CAPTURE(host);
    CHECK(refused(access, {{"Host", host}}) == 403);
    CHECK(refused(access, {{"Host", "localhost"}, {"Origin", "http://" + std::string(host)}}) ==
          403);
  }
  CHECK(refused(access, {{"Host", "localhost"}, {"Origin", "null"}}) == 403);
  CHECK(refused(access, {{"Host", "localhost"}, {"origin", ""}}) == 403);
  CHECK(refused(access, {{"Host", "localhost"},
                         {"Origin", "http://localhost"},
                         {"Origin", "http://evil.example"}}) == 403);
}

TEST_CASE("further names are served when they are given") {
  const Access access({{"Proxy.example", "10.0.0.1"}, {}});
  CHECK(refused(access, {{"Host", "proxy.EXAMPLE:80"}, {"Origin", "https://proxy.example"}}) == 0);
  CHECK(refused(access, {{"Host", "10.0.0.1"}}) == 0);
  CHECK(refused(access, {{"Host", "other.example"}}) == 403);
  CHECK(refused(access, {{"Host", "a.proxy.example"}}) == 403);
}

TEST_CASE("a token can be shown in three ways, and stays with the proxy") {
  const Access access({{}, token});
  const std::string bearer = "bEARER  " + token;
  const std::string other = "Bearer the upstream's";
  for (const Field& field : std::vector<Field>{
           {"X-Tare-Token", token}, {"authorization", bearer}, {"Proxy-Authorization", bearer}}) {
    CAPTURE(field.name);
    CHECK(refused(access, {{"Host", "localhost"}, field}) == 0);
    CHECK(refused(access, {{"Host", "localhost"}, {"Authorization", other}, field}) == 0);
  }
  CHECK(access.is_own({"x-tare-token", token}));
  CHECK(access.is_own({"Authorization", bearer}));
  CHECK_FALSE(access.is_own({"Authorization", other}));
  CHECK_FALSE(access.is_own({"x-api-key", token}));
}

TEST_CASE("without the token nothing is served") {
  const Access access({{}, token});
  const std::string longer = token + "0";
  const std::string basic = "Basic " + token;
  const std::string wrong = "Bearer 0123456789abcdeF";
  for (const Field& field : std::vector<Field>{{"X", ""},
                                               {"x-tare-token", ""},
                                               {"x-tare-token", "0123456789abcdeF"},
                                               {"x-tare-token", longer},
                                               {"Authorization", token},
                                               {"Authorization", basic},
                                               {"Authorization", wrong},
                                               {"Authorization", "Bearer"},
                                               {"Authorization", "Bearer "},
                                               {"x-api-key", token}}) {
    CAPTURE(field.name, field.value);
    CHECK(refused(access, {{"Host", "localhost"}, field}) == 401);
  }
  CHECK(refused(access, {{"Host", "evil.example"}, {"x-tare-token", token}}) == 403);
}

TEST_CASE("without a token of its own the proxy takes none of the client's credentials") {
  const Access access({});
  CHECK(refused(access, {{"Host", "localhost"}, {"Authorization", "Bearer "}}) == 0);
  CHECK_FALSE(access.is_own({"Authorization", "Bearer "}));
  CHECK(access.is_own({"X-TARE-token", "x"}));
}

TEST_CASE("a token is one line that is hard to guess") {
  const auto good = parse_token(" \t" + token + "\r\n", "--token-file");
  REQUIRE(good);
  CHECK(*good == token);
  for (const std::string& bad : {std::string(), std::string("  \n"), std::string("short"),
                                 token + " " + token, token + "\n" + token, token + "\x7f"}) {
    const auto refused_token = parse_token(bad, "TARE_TOKEN");
    REQUIRE_FALSE(refused_token);
    CHECK(refused_token.error().exit_code() == 2);
    CHECK_THAT(refused_token.error().text(), Contains("TARE_TOKEN") && !Contains(token));
  }
}

TEST_CASE("other addresses than loopback need a token and a name") {
  CHECK(check_exposure(true, {}, "--listen"));
  CHECK_FALSE(check_exposure(false, {}, "--listen"));
  CHECK_FALSE(check_exposure(false, {{"proxy.example"}, {}}, "--listen"));
  CHECK_FALSE(check_exposure(false, {{}, token}, "--listen"));
  CHECK(check_exposure(false, {{"proxy.example"}, token}, "--listen"));
}
