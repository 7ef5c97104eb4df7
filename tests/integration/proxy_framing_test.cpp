// RFC 9112 case by case: what is refused, and what is read otherwise than a careless parser would.
// The cases stand in framing_cases.json, from which docs/framing.md is made too.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/files.h"
#include "proxy_fixture.h"

using namespace std::string_literals;
using namespace tare::test;
using nlohmann::json;

namespace {

// The file's strings are bytes, one to a character.
std::string bytes_of(const std::string& utf8) {
  std::string bytes;
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    const auto byte = static_cast<unsigned char>(utf8[i]);
    bytes.push_back(byte < 0x80 ? utf8[i]
                                : static_cast<char>((byte & 3) << 6 | (utf8[++i] & 0x3f)));
  }
  return bytes;
}

std::vector<json> cases(const char* group) {
  const auto text = tare::read_file(TARE_SOURCE_DIR "/tests/integration/framing_cases.json");
  REQUIRE(text);
  return json::parse(*text).at(group).get<std::vector<json>>();
}

}  // namespace

TEST_CASE("RFC 9112: what is refused") {
  for (const json& c : cases("refused")) {
    CAPTURE(c);
    Listener upstream;
    Proxy proxy(upstream.url());
    auto client = proxy.connect();
    // What follows must never be taken for a request of its own.
    client.send(bytes_of(c["request"]) + request("GET", "/smuggled"));
    const auto answer = client.read_to_end();
    CHECK(answer.starts_with("HTTP/1.1 " + std::to_string(c["status"].get<int>()) + " "));
    CHECK(answer.find("\r\nConnection: close\r\n") != std::string::npos);
    CHECK(answer.find(R"({"error":{"message":")") != std::string::npos);
    CHECK(answer.find("}HTTP/1.1 ") == std::string::npos);
    CHECK_FALSE(client.was_reset());
    // A body that streams through may have begun; it must not look whole, nor may what follows
    // pass.
    if (upstream.has_waiting()) {
      const auto seen = upstream.accept().read_to_end();
      CHECK((seen.empty() || seen.starts_with("POST /u HTTP/1.1\r\n")));
      CHECK(seen.find("smuggled") == std::string::npos);
      CHECK_FALSE(seen.ends_with("0\r\n\r\n"));
    }
  }
}

TEST_CASE("RFC 9112: what is read as it says") {
  for (const json& c : cases("read")) {
    CAPTURE(c);
    const auto expected = bytes_of(c["upstream"]);
    Listener upstream;
    Proxy proxy(upstream.url());
    auto client = proxy.connect();
    client.send(bytes_of(c["request"]));
    auto served = upstream.accept();
    const auto upstream_host = "Host: " + upstream.authority() + "\r\n";
    served.read_until(upstream_host);
    CHECK(served.read_bytes(expected.size()) == expected);
    served.send(reply("ok"));
    CHECK(client.read_message() == reply("ok"));
    // Both sides agree where it ended.
    client.send(request("GET", "/next"));
    CHECK(served.read_until("\r\n") == "GET /next HTTP/1.1\r\n");
  }
}
