// Requests of each wire format through a real tare-proxy: what reaches the upstream, turn after
// turn and after a restart.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "proxy/wire/wire.h"
#include "proxy_fixture.h"
#include "tests/support/wire_bodies.h"

using namespace std::string_literals;
using namespace tare::test;

namespace {

std::string source_lines() {
  std::string source = "#include \"queue.h\"\n";
  for (int i = 0; i < 30; ++i) {
    const auto n = std::to_string(i);
    source += "int push_" + n + "(int job) {\n  return queue_push(" + n + ", job);\n}\n";
  }
  return source;
}

// Posts the body and gives what the upstream got.
std::string forwarded(const Proxy& proxy, Listener& upstream, std::string_view target,
                      const std::string& body) {
  auto client = proxy.connect();
  client.send(post(target, body, "Connection: close\r\n"));
  auto served = upstream.accept();
  const auto message = served.read_message();
  CHECK(message.starts_with("POST "s.append(target) + " HTTP/1.1\r\n"));
  served.send(reply("ok"));
  CHECK(body_of(client.read_message()) == "ok");
  return body_of(message);
}

}  // namespace

TEST_CASE("a conversation of each format keeps its prefix through the proxy, and after a restart") {
  const auto& format = wire_formats[GENERATE(0U, 1U, 2U)];
  std::vector<Turn> turns;
  std::string previous;
  std::string last_body;
  Listener upstream;
  {
    Proxy proxy(upstream.url());
    for (int i = 0; i < 8; ++i) {
      turns.push_back({"call_" + std::to_string(i), "bash", R"({"command":"run"})",
                       "took " + std::to_string(i) + " s\n" + heartbeats(40 + i % 3)});
      last_body = body_of(format, turns);
      const auto sent = forwarded(proxy, upstream, format.target, last_body);
      INFO(sent);
      CHECK(sent.starts_with(previous));
      CHECK(sent.size() < last_body.size() / 2);
      CHECK(*tare::wire::expand_body(sent, 1 << 20) == last_body);
      previous = sent.substr(0, sent.size() - format.tail.size());
    }
  }
  Proxy restarted(upstream.url());
  CHECK(forwarded(restarted, upstream, format.target, last_body) == previous.append(format.tail));
}

TEST_CASE("source that was read for editing stays, and its repeat becomes a reference") {
  const auto& format = wire_formats[GENERATE(0U, 1U, 2U)];
  const Turn read{"call_1", "read_file", R"({"path":"queue.c"})", source_lines()};
  const Turn shown{"call_2", "bash", R"({"command":"cat queue.c"})", source_lines()};
  Listener upstream;
  Proxy proxy(upstream.url());
  const auto once = body_of(format, {read});
  CHECK(forwarded(proxy, upstream, format.target, once) == once);
  const auto twice = body_of(format, {read, shown});
  const auto sent = forwarded(proxy, upstream, format.target, twice);
  CHECK(sent.starts_with(history_of(format, {read})));
  CHECK(sent.size() < once.size() + 700);
  CHECK(*tare::wire::expand_body(sent, 1 << 20) == twice);
}

TEST_CASE("outputs of a tool that is to be left alone are sent as they came") {
  const auto& format = wire_formats[GENERATE(0U, 1U, 2U)];
  const auto body = body_of(format, {{"call_1", "trace", "{}", heartbeats(60)},
                                     {"call_2", "other", "{}", heartbeats(60)}});
  Listener upstream;
  Proxy proxy(upstream.url(), {"--verbatim-tool", "trace", "--verbatim-tool", "other"});
  CHECK(forwarded(proxy, upstream, format.target, body) == body);
}

TEST_CASE("levels and rules are the user's choice") {
  std::string log;
  for (int i = 0; i < 60; ++i)
    log += "08:00 INFO probe " + std::to_string(i) + " healthy on node\n";
  const auto& format = wire_formats[0];
  const auto body = body_of(format, {{"call_1", "bash", "{}", log}});
  Listener upstream;
  const auto sent_at = [&](const std::vector<std::string>& options) {
    Proxy proxy(upstream.url(), options);
    return forwarded(proxy, upstream, format.target, body);
  };
  const auto standard = sent_at({});
  CHECK(sent_at({"--level", "standard"}) == standard);
  CHECK(sent_at({"--level", "plain"}) != standard);
  CHECK(sent_at({"--min-bytes", "100000"}) == body);
}

TEST_CASE("a count of tokens is asked of what the client wrote") {
  const auto body = body_of(wire_formats[2], {{"call_1", "bash", "{}", heartbeats(60)}});
  Listener upstream;
  Proxy proxy(upstream.url());
  CHECK(forwarded(proxy, upstream, "/v1/messages/count_tokens?beta=true", body) == body);
  CHECK(forwarded(proxy, upstream, "/v1/messages?beta=true", body) != body);
  CHECK(forwarded(proxy, upstream, "/v1/chat/completions", body) == body);  // not of its shape
}
