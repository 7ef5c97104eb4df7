// WebSocket through the proxy, between two raw peers that write and read frames themselves.
#include <catch2/catch.hpp>
#include <csignal>
#include <string>

#include "proxy/wire/wire.h"
#include "proxy_fixture.h"

using namespace std::string_literals;
using namespace tare::test;

namespace {

const auto mask = "\x37\xfa\x21\x3d"s;

// A frame as a client sends it, or, without a mask, as a server does. `first`: the byte with the
// opcode.
std::string frame(int first, const std::string& payload, const std::string& key = mask) {
  std::string text(1, static_cast<char>(first));
  const int mask_bit = key.empty() ? 0 : 0x80;
  if (payload.size() < 126) {
    text.push_back(static_cast<char>(mask_bit | static_cast<int>(payload.size())));
  } else if (payload.size() < 65536) {
    text.push_back(static_cast<char>(mask_bit | 126));
    text.push_back(static_cast<char>(payload.size() >> 8));
    text.push_back(static_cast<char>(payload.size()));
  } else {
    text.push_back(static_cast<char>(mask_bit | 127));
    for (int shift = 56; shift >= 0; shift -= 8) {
      text.push_back(static_cast<char>(payload.size() >> shift));
    }
  }
  text += key;
  for (std::size_t i = 0; i < payload.size(); ++i) {
    text.push_back(key.empty() ? payload[i] : static_cast<char>(payload[i] ^ key[i % 4]));
  }
  return text;
}

const auto handshake =
    "GET /v1/responses HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    "Authorization: Bearer t\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: a2V5\r\n"
    "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n\r\n"s;
const auto agreed =
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Accept: x\r\n\r\n"s;

std::string message(int lines, const std::string& type = "response.create") {
  std::string log;
  for (int i = 0; i < lines; ++i) {
    log += "2026-09-15T12:00:00Z INFO heartbeat healthy worker=worker-" + std::to_string(i % 3) +
           "\\n";
  }
  return R"({"type":")" + type +
         R"(", "input":[{"type":"function_call_output","call_id":"c","output":")" + log + R"("}]})";
}

std::string rewritten(const std::string& text) {
  const auto result = tare::wire::rewrite("/v1/responses", text, {});
  REQUIRE_FALSE(result.body.empty());
  return result.body;
}

// A client and an upstream that have agreed to speak WebSocket.
struct Switched {
  explicit Switched(const std::vector<std::string>& options = {})
      : proxy(upstream.url(), options), client(proxy.connect()), served(agree()) {}

  Peer agree() {
    client.send(handshake);
    Peer peer = upstream.accept();
    CHECK(peer.read_head() ==
          "GET /v1/responses HTTP/1.1\r\nHost: " + upstream.authority() +
              "\r\nAuthorization: Bearer t\r\nSec-WebSocket-Version: 13\r\n"
              "Sec-WebSocket-Key: a2V5\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    peer.send(agreed);
    CHECK(client.read_head() ==
          "HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: x\r\n"
          "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    return peer;
  }
  // Whether the upstream gets just these bytes next.
  bool gets(const std::string& bytes) { return served.read_bytes(bytes.size()) == bytes; }

  Listener upstream;
  Proxy proxy;
  Peer client;
  Peer served;
};

}  // namespace

TEST_CASE("frames pass both ways byte for byte") {
  Switched both;
  for (const auto& sent : {frame(0x81, "hello"), frame(0x82, std::string(300, '\0')),
                           frame(0x89, "ping"), frame(0x8a, ""), frame(0xc1, "reserved bit"),
                           frame(0x01, "in ") + frame(0x89, "p") + frame(0x80, "parts")}) {
    both.client.send(sent);
    if (sent[0] == '\x01') {
      // A control frame within a message goes ahead of what is held of it.
      CHECK(both.gets(frame(0x89, "p") + frame(0x01, "in ") + frame(0x80, "parts")));
    } else {
      CHECK(both.gets(sent));
    }
  }
  for (const auto& sent : {frame(0x81, "event", ""), frame(0x01, "part", ""),
                           frame(0x80, std::string(70000, 'x'), ""), frame(0x89, "ping", "")}) {
    both.served.send(sent);
    CHECK((both.client.read_bytes(sent.size()) == sent));
  }
}

TEST_CASE("each message that asks for a response is rewritten, the later ones too") {
  Switched both;
  for (const int lines : {200, 20, 5000, 300}) {
    const auto text = message(lines);
    both.client.send(frame(0x81, text));
    CHECK(both.gets(frame(0x81, rewritten(text))));
    both.served.send(frame(0x81, "{}", ""));
    CHECK(both.client.read_bytes(4) == frame(0x81, "{}", ""));
  }
}

TEST_CASE("a message in fragments is put together, and pings are not held up by it") {
  Switched both;
  const auto text = message(200);
  both.client.send(frame(0x01, text.substr(0, 1000)) + frame(0x89, "ping"));
  CHECK(both.gets(frame(0x89, "ping")));
  both.served.send(frame(0x8a, "ping", ""));
  CHECK(both.client.read_bytes(6) == frame(0x8a, "ping", ""));
  both.client.send(frame(0x00, text.substr(1000, 2000)) + frame(0x80, text.substr(3000)));
  CHECK(both.gets(frame(0x81, rewritten(text))));
}

TEST_CASE("other messages pass as they came") {
  struct Case {
    const char* what;
    std::string text;
    std::vector<std::string> options;
  };
  const auto c =
      GENERATE(Case{"another type", message(200, "session.update"), {}},
               Case{"not JSON", "response.create " + std::string(1000, 'x'), {}},
               Case{"forward only", message(200), {"--forward-only"}},
               Case{"shadow", message(200), {"--shadow"}},
               Case{"too long", message(200), {"--max-body-bytes", "1000"}},
               Case{"more than may be held", message(200), {"--max-held-bytes", "1000"}});
  CAPTURE(c.what);
  Switched both(c.options);
  both.client.send(frame(0x81, c.text));
  CHECK(both.gets(frame(0x81, c.text)));
}

TEST_CASE("close codes pass, and the end of either side ends the other") {
  Switched both;
  const auto close = frame(0x88, "\x03\xf0 going away");
  SECTION("by the client") {
    both.client.send(close);
    CHECK(both.gets(close));
    both.client.close();
    CHECK(both.served.read_to_end().empty());
  }
  SECTION("by the upstream") {
    const auto answer = frame(0x88, "\x03\xf3 restart", "");
    both.served.send(answer);
    both.served.close();
    CHECK(both.client.read_to_end() == answer);
    CHECK_FALSE(both.client.was_reset());
  }
  SECTION("without a word") {
    both.client.reset();
    CHECK(both.served.read_to_end().empty());
  }
}

TEST_CASE("a refused upgrade is passed on, and the connection goes on") {
  Listener upstream;
  Proxy proxy(upstream.url());
  auto client = proxy.connect();
  client.send(handshake);
  auto served = upstream.accept();
  served.read_head();
  const auto refusal = reply("use HTTP", "426 Upgrade Required");
  served.send(refusal);
  CHECK(client.read_message() == refusal);
  client.send(post("/v1/responses", message(200)));
  CHECK(body_of(served.read_message()) == rewritten(message(200)));
}

TEST_CASE("an upstream that chooses what was not offered gives 502") {
  Listener upstream;
  Proxy proxy(upstream.url());
  auto client = proxy.connect();
  client.send(handshake);
  auto served = upstream.accept();
  served.read_head();
  served.send(
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n");
  CHECK(client.read_message().starts_with("HTTP/1.1 502 "));
}

TEST_CASE("what is sent right behind the handshake is not lost") {
  Listener upstream;
  Proxy proxy(upstream.url());
  auto client = proxy.connect();
  client.send(handshake + frame(0x81, "early"));
  auto served = upstream.accept();
  served.read_head();
  served.send(agreed + frame(0x81, "at once", ""));
  CHECK(served.read_bytes(frame(0x81, "early").size()) == frame(0x81, "early"));
  client.read_head();
  CHECK(client.read_bytes(9) == frame(0x81, "at once", ""));
}

// What a stopping proxy sends as the last frame, in either direction.
const auto going_away = "\x03\xe9the proxy is stopping"s;

// The text of a masked frame of less than 126 bytes, its first byte in front.
std::string unmasked(const std::string& frame) {
  const auto key = frame.substr(2, 4);
  std::string text(1, frame[0]);
  for (std::size_t i = 6; i < frame.size(); ++i) {
    text.push_back(static_cast<char>(frame[i] ^ key[(i - 6) % 4]));
  }
  return text;
}

// Stops without waiting: the tests give it all the time there is.
const std::vector<std::string> patient = {"--drain-timeout", "1000"};

TEST_CASE("a server that stops closes WebSockets at once, and says why to both sides") {
  auto options = patient;
  if (GENERATE(false, true)) options.push_back("--forward-only");
  Switched both(options);
  both.proxy.process().signal(SIGTERM);
  CHECK(both.client.read_to_end() == frame(0x88, going_away, ""));
  CHECK_FALSE(both.client.was_reset());
  CHECK(unmasked(both.served.read_to_end()) == "\x88" + going_away);
  both.client.close();
}

TEST_CASE("a message on its way is finished before a stopping server closes") {
  Switched both(patient);
  const auto text = message(200);
  both.client.send(frame(0x01, text.substr(0, 1000)) + frame(0x89, "ping"));
  CHECK(both.gets(frame(0x89, "ping")));
  const auto event = frame(0x01, "half of ", "") + frame(0x80, "an event", "");
  both.served.send(event.substr(0, 5));
  CHECK(both.client.read_bytes(5) == event.substr(0, 5));
  both.proxy.process().signal(SIGTERM);
  both.served.send(event.substr(5) + frame(0x81, "one more", ""));
  const auto rest = both.client.read_bytes(event.size() - 5);
  CHECK(rest == event.substr(5));
  both.client.send(frame(0x80, text.substr(1000)));
  CHECK(both.gets(frame(0x81, rewritten(text))));
  const auto last = both.client.read_to_end();
  CHECK(last.ends_with(frame(0x88, going_away, "")));
  CHECK(unmasked(both.served.read_to_end()) == "\x88" + going_away);
  both.client.close();
}

TEST_CASE("a WebSocket that does not end its message is cut off when the time is over") {
  Switched both({"--drain-timeout", "0.1"});
  both.served.send(frame(0x01, "half", ""));
  CHECK(both.client.read_bytes(6) == frame(0x01, "half", ""));
  both.proxy.process().signal(SIGTERM);
  CHECK(both.client.read_to_end().empty());
  CHECK(both.served.read_to_end().empty());
}
