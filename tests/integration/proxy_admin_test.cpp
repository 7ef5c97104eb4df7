// What an operator sees: the admin listener, the ledger, the log.
#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "common/files.h"
#include "proxy_fixture.h"
#include "tests/support/temporary_folder.h"

using namespace std::string_literals;
using namespace tare;
using namespace tare::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

const auto secret = "canary-77ab"s;

// A body with one output that is made smaller.
std::string body() {
  std::string log;
  for (int i = 0; i < 100; ++i) {
    log += "2026-09-15T12:00:00Z INFO heartbeat healthy worker=" + std::to_string(i % 3) + "\\n";
  }
  return R"({"model":")" + secret +
         R"(","input":[{"type":"function_call_output","call_id":"c","output":")" + log + R"("}]})";
}

std::string admin_url(const Proxy& proxy) {
  const auto log = proxy.log();
  const auto at = log.find("http://");
  REQUIRE(at != std::string::npos);
  return log.substr(at, log.find('"', at) - at);
}

std::string ask(const std::string& url, const std::string& target,
                std::string_view host = "localhost", std::string_view method = "GET") {
  auto client = Peer::connect_to(url);
  client.send(std::string(method) + " " + target + " HTTP/1.1\r\nHost: " + std::string(host) +
              "\r\n\r\n");
  return client.read_to_end();
}

// Sends a body and gives what the upstream got.
std::string forward(Listener& upstream, Peer& client, std::string_view fields = {}) {
  client.send(
      post("/v1/responses?key=" + secret, body(),
           "Connection: close\r\nAuthorization: Bearer " + secret + "\r\n" + std::string(fields)));
  auto served = upstream.accept();
  auto message = served.read_message();
  served.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello");
  CHECK(body_of(client.read_to_end()) == "hello");
  return message;
}

std::vector<json> ledger_of(const std::filesystem::path& path) {
  std::vector<json> lines;
  const auto text = read_file(path);
  REQUIRE(text);
  CHECK(text->find(secret) == std::string::npos);
  std::istringstream in(*text);
  for (std::string line; std::getline(in, line);) lines.push_back(json::parse(line));
  return lines;
}

}  // namespace

TEST_CASE("the admin listener tells of health, counts and savings") {
  Listener upstream;
  Proxy proxy(upstream.url(), {"--admin", "127.0.0.1:0"});
  const auto admin = admin_url(proxy);
  CHECK(ask(admin, "/healthz").starts_with("HTTP/1.1 200 OK\r\n"));
  CHECK(ask(admin, "/readyz").ends_with("\r\n\r\nready\n"));
  CHECK(ask(admin, "/healthz", "localhost", "HEAD").ends_with("\r\n\r\n"));
  CHECK(ask(admin, "/").starts_with("HTTP/1.1 404 "));
  CHECK(ask(admin, "/metrics", "localhost", "POST").starts_with("HTTP/1.1 405 "));
  CHECK(ask(admin, "/stats", "evil.example").starts_with("HTTP/1.1 403 "));
  auto client = proxy.connect();
  const auto sent = body_of(forward(upstream, client));
  const auto metrics = ask(admin, "/metrics");
  CHECK_THAT(metrics, Contains("Content-Type: text/plain; version=0.0.4"));
  for (const auto& line : {"tare_requests_total{format=\"responses\",code=\"2xx\"} 1\n"s,
                           "tare_request_body_received_bytes_total{format=\"responses\"} " +
                               std::to_string(body().size()) + "\n",
                           "tare_request_body_sent_bytes_total{format=\"responses\"} " +
                               std::to_string(sent.size()) + "\n",
                           "tare_response_body_bytes_total{format=\"responses\"} 5\n"s,
                           "tare_tool_outputs_rewritten_total{format=\"responses\"} 1\n"s,
                           "tare_rewrite_duration_seconds_count 1\n"s, "tare_open_requests 0\n"s}) {
    CHECK_THAT(metrics, Contains(line));
  }
  const auto stats = json::parse(body_of(ask(admin, "/stats")));
  CHECK(stats["endings"]["answered"] == 1);
  const auto& responses = stats["formats"]["responses"];
  CHECK(responses["body_sent_bytes"] == sent.size());
  CHECK(responses["output_tokens_received_estimate"] > 0);
  CHECK(responses["output_tokens_sent_estimate"] <
        responses["output_tokens_received_estimate"].get<int>() / 4);
  CHECK(metrics.find(secret) == std::string::npos);
}

TEST_CASE("it is not ready any more while the last requests are finished") {
  Listener upstream;
  Proxy proxy(upstream.url(), {"--admin", "127.0.0.1:0", "--drain-timeout", "1000"});
  const auto admin = admin_url(proxy);
  auto client = proxy.connect();
  client.send(request("GET", "/"));
  auto served = upstream.accept();
  served.read_head();
  auto idle = proxy.connect();
  proxy.process().signal(SIGTERM);
  idle.read_to_end();  // the signal has been seen
  CHECK(ask(admin, "/readyz").starts_with("HTTP/1.1 503 "));
  CHECK(ask(admin, "/healthz").starts_with("HTTP/1.1 200 "));
  served.send(reply("ok"));
  CHECK(body_of(client.read_message()) == "ok");
}

TEST_CASE("an admin listener that anyone could reach needs a token too") {
  SubprocessOptions options;
  options.argv = {TARE_BIN_DIR "/tare-proxy",
                  "serve",
                  "--upstream",
                  "http://127.0.0.1:1",
                  "--listen",
                  "127.0.0.1:0",
                  "--admin",
                  "0.0.0.0:0"};
  const auto output = run_to_end(options, {}, std::chrono::minutes(1));
  REQUIRE(output);
  CHECK(output->status.code == 2);
  CHECK_THAT(output->err, Contains("--admin"));
}

TEST_CASE("the ledger has a line for each request, and no content") {
  const TemporaryFolder folder;
  const auto path = folder / "ledger.jsonl";
  Listener upstream;
  std::string sent;
  {
    Proxy proxy(upstream.url(), {"--ledger", path});
    auto client = proxy.connect();
    sent = body_of(forward(upstream, client));
    auto foreign = proxy.connect();
    foreign.send("GET / HTTP/1.1\r\nHost: " + secret + "\r\n\r\n");
    foreign.read_to_end();
    auto leaving = proxy.connect();
    leaving.send(request("GET", "/" + secret));
    auto served = upstream.accept();
    served.read_head();
    leaving.close();
    served.read_to_end();
  }
  const auto lines = ledger_of(path);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0]["format"] == "responses");
  CHECK(lines[0]["ending"] == "answered");
  CHECK(lines[0]["rewriting"] == "done");
  CHECK(lines[0]["status"] == 200);
  CHECK(lines[0]["body_received_bytes"] == body().size());
  CHECK(lines[0]["body_sent_bytes"] == sent.size());
  CHECK(lines[0]["outputs_rewritten"] == 1);
  CHECK(lines[0]["response_body_bytes"] == 5);
  CHECK(lines[0]["total_us"] >= lines[0]["first_byte_us"]);
  CHECK(lines[1]["ending"] == "denied");
  CHECK(lines[1]["status"] == 403);
  CHECK(lines[2]["ending"] == "client_gone");
  CHECK(lines[2]["status"] == 0);
}

TEST_CASE("an upstream that breaks with its first packet is a 502 everywhere, and one outage") {
  const TemporaryFolder folder;
  const auto path = folder / "ledger.jsonl";
  Listener upstream;
  Proxy proxy(upstream.url(), {"--ledger", path, "--max-header-bytes", "256"});
  auto client = proxy.connect();
  const auto answer_with = [&](const std::string& text) {
    client.send(request("GET", "/"));
    auto served = upstream.accept();
    served.read_head();
    served.send(text);
    return client.read_message();
  };
  for (const auto& body : {"nonsense\r\n"s, "1;x=" + std::string(300, 'x'), "no, no\r\n"s}) {
    CHECK(answer_with("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body)
              .starts_with("HTTP/1.1 502 "));
  }
  CHECK(answer_with(reply("ok")) == reply("ok"));
  for (const auto& line : ledger_of(path)) {
    CHECK(line["status"] == (line["ending"] == "answered" ? 200 : 502));
  }
  const auto log = proxy.log();
  CHECK(std::count(log.begin(), log.end(), '\n') == 2);
  CHECK_THAT(log, Contains("sent a body not framed") && Contains("responds again"));
}

TEST_CASE("a shadow counts what it would save and sends the original") {
  const TemporaryFolder folder;
  const auto path = folder / "ledger.jsonl";
  Listener upstream;
  Proxy proxy(upstream.url(), {"--ledger", path, "--shadow"});
  auto client = proxy.connect();
  CHECK(body_of(forward(upstream, client)) == body());
  const auto lines = ledger_of(path);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0]["rewriting"] == "shadow");
  CHECK(lines[0]["outputs_rewritten"] == 1);
  CHECK(lines[0]["body_sent_bytes"] == body().size());
  CHECK(lines[0]["output_tokens_sent_estimate"] < lines[0]["output_tokens_received_estimate"]);
}

TEST_CASE("a client can have one request sent as it is") {
  const TemporaryFolder folder;
  const auto path = folder / "ledger.jsonl";
  Listener upstream;
  Proxy proxy(upstream.url(), {"--ledger", path});
  auto client = proxy.connect();
  const auto message = forward(upstream, client, "X-Tare-Bypass: 1\r\n");
  CHECK(body_of(message) == body());
  CHECK(message.find("Bypass") == std::string::npos);
  auto next = proxy.connect();
  CHECK(body_of(forward(upstream, next, "X-Tare-Bypass: 0\r\n")).size() < body().size() / 4);
  const auto lines = ledger_of(path);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0]["rewriting"] == "bypassed");
  CHECK(lines[1]["rewriting"] == "done");
}

TEST_CASE("the log can be JSON") {
  std::string nobody;
  {
    const Listener closed;
    nobody = closed.url();
  }
  Proxy proxy(nobody, {"--log-format", "json"});
  auto client = proxy.connect();
  client.send(request("GET", "/"));
  client.read_message();
  const auto line = json::parse(proxy.log());
  CHECK(line["level"] == "error");
  CHECK_THAT(line["msg"].get<std::string>(), Contains("Connection refused"));
}

TEST_CASE("work for a client that has gone is given up in the midst of one output") {
  // Takes far longer to compact than to notice that the client has gone: its end is in the socket
  // before the last of the body is read.
  std::string text;
  for (unsigned i = 0, x = 1; text.size() < 12'000'000; ++i) {
    x = x * 1664525 + 1013904223;
    text += "step " + std::to_string(i) + " of job-" + std::to_string(x % 977) + " took " +
            std::to_string(x >> 16) + " us in module/" + std::to_string(x % 13) +
            ".cpp:" + std::to_string(x % 5000) + "\\n";
  }
  Listener upstream;
  Proxy proxy(upstream.url(), {"--admin", "127.0.0.1:0"});
  const auto admin = admin_url(proxy);
  auto client = proxy.connect();
  client.send(post(
      "/v1/responses",
      R"({"input":[{"type":"function_call_output","call_id":"c","output":")" + text + R"("}]})"));
  client.close();
  json stats;
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  do {
    REQUIRE(std::chrono::steady_clock::now() < give_up);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    stats = json::parse(body_of(ask(admin, "/stats")));
  } while (stats["endings"]["client_gone"] == 0 || stats["rewrites_given_up"] == 0);
  CHECK(stats["held_bytes"] == 0);
  CHECK(stats["open_connections"] == 0);
  CHECK_FALSE(upstream.has_waiting());
}
