// The second control as the harness runs it: a real process between a raw client and a raw
// upstream.
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/files.h"
#include "common/subprocess.h"
#include "raw_http.h"
#include "tests/support/temporary_folder.h"

using namespace std::string_literals;
using namespace tare;
using test::Peer;
using test::RawUpstream;

namespace {

class Forwarder {
 public:
  explicit Forwarder(const std::string& upstream, const std::string& listen = "127.0.0.1:0")
      : process_(start(upstream, listen)) {
    for (int i = 0; i < 1000 && url_.empty() && !process_.wait(std::chrono::milliseconds(10));
         ++i) {
      const auto line = *read_file(folder_ / "out");
      if (line.ends_with('\n')) url_ = line.substr(0, line.size() - 1);
    }
  }
  ~Forwarder() { process_.stop(std::chrono::seconds(10)); }

  const std::string& url() const { return url_; }
  ExitStatus stop() { return process_.stop(std::chrono::seconds(10)); }

 private:
  Subprocess start(const std::string& upstream, const std::string& listen) const {
    SubprocessOptions options;
    options.argv = {TARE_BIN_DIR "/tare-forwarder-httplib", "--listen", listen, "--upstream",
                    upstream};
    options.stdout_file = folder_ / "out";
    options.stderr_file = folder_ / "err";
    auto process = Subprocess::start(options);
    REQUIRE(process);
    return std::move(*process);
  }

  test::TemporaryFolder folder_;
  Subprocess process_;
  std::string url_;
};

std::string post(const std::string& target, const std::string& body,
                 const std::string& headers = "") {
  return "POST " + target + " HTTP/1.1\r\nHost: client\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace

TEST_CASE("the forwarder passes target, headers and body on as they are") {
  RawUpstream upstream;
  Forwarder forwarder(upstream.url() + "/");
  Peer client = Peer::connect_to(forwarder.url());
  const auto body = "{\"input\" : 1.0}\n"s + "\0\xff"s + std::string(200000, 'x');
  const auto reply =
      client.exchange(post("/v1/a/../responses?q=%20a&b", body,
                           "Authorization: Bearer t\r\nX-Twice: 1\r\nX-Twice: 2\r\n"
                           "Accept-Encoding: gzip, br\r\nContent-Type: application/json\r\n"));
  CHECK(reply.starts_with("HTTP/1.1 200 "));
  CHECK(reply.ends_with("\r\n\r\n{\"ok\":1}"));
  REQUIRE(upstream.requests().size() == 1);
  const auto request = upstream.requests()[0];
  CHECK(request.head.starts_with("POST /v1/a/../responses?q=%20a&b HTTP/1.1\r\n"));
  for (const auto* line : {"Authorization: Bearer t", "X-Twice: 1", "X-Twice: 2",
                           "Accept-Encoding: gzip, br", "Content-Type: application/json"}) {
    CHECK(request.has_line(line));
  }
  CHECK(request.has_line("Host: " + upstream.url().substr(7)));
  CHECK(request.head.find("REMOTE_ADDR") == std::string::npos);
  CHECK(request.head.find("\r\nAccept:") == std::string::npos);
  CHECK(request.body == body);
}

TEST_CASE("the forwarder drops what is between two neighbours only") {
  RawUpstream upstream;
  Forwarder forwarder(upstream.url());
  Peer::connect_to(forwarder.url())
      .exchange(
          post("/", "{}",
               "Connection: keep-alive, X-Mine\r\nX-Mine: 1\r\nKeep-Alive: 5\r\nTE: trailers\r\n"
               "Proxy-Authorization: secret\r\nX-Other: 1\r\n"));
  REQUIRE(upstream.requests().size() == 1);
  const auto head = upstream.requests()[0].head;
  for (const auto* name : {"X-Mine", "Keep-Alive", "TE:", "Proxy-Authorization", "Connection"}) {
    CHECK(head.find(name) == std::string::npos);
  }
  CHECK(upstream.requests()[0].has_line("X-Other: 1"));
}

TEST_CASE("the forwarder leaves encoded, multipart and form bodies as they are") {
  RawUpstream upstream;
  Forwarder forwarder(upstream.url());
  Peer client = Peer::connect_to(forwarder.url());
  const auto multipart = "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b--\r\n"s;
  client.exchange(post("/", "not really gzip", "Content-Encoding: gzip\r\n"));
  client.exchange(post("/", multipart, "Content-Type: multipart/form-data; boundary=b\r\n"));
  client.exchange(post("/", "a=" + std::string(20000, 'x'),
                       "Content-Type: application/x-www-form-urlencoded\r\n"));
  REQUIRE(upstream.requests().size() == 3);
  CHECK(upstream.requests()[0].body == "not really gzip");
  CHECK(upstream.requests()[0].has_line("Content-Encoding: gzip"));
  CHECK(upstream.requests()[1].body == multipart);
  CHECK(upstream.requests()[1].has_line("Content-Type: multipart/form-data; boundary=b"));
  CHECK(upstream.requests()[2].body.size() == 20002);
}

TEST_CASE("the forwarder keeps both connections over many requests") {
  RawUpstream upstream;
  Forwarder forwarder(upstream.url());
  Peer client = Peer::connect_to(forwarder.url());
  for (int i = 0; i < 30; ++i) CHECK(client.exchange(post("/", "{}")).ends_with("{\"ok\":1}"));
  REQUIRE(upstream.requests().size() == 30);
  CHECK(upstream.requests().back().connection == 1);
}

TEST_CASE("the forwarder takes bodies in chunks and requests without a body") {
  RawUpstream upstream;
  Forwarder forwarder(upstream.url());
  Peer client = Peer::connect_to(forwarder.url());
  client.exchange(
      "POST /chunks HTTP/1.1\r\nHost: c\r\nTransfer-Encoding: "
      "chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
  client.exchange("POST /none HTTP/1.1\r\nHost: c\r\n\r\n");
  client.exchange("GET /get?x HTTP/1.1\r\nHost: c\r\n\r\n");
  client.send("HEAD /head HTTP/1.1\r\nHost: c\r\n\r\n");
  client.read_head();
  client.exchange("DELETE /delete HTTP/1.1\r\nHost: c\r\n\r\n");
  const auto requests = upstream.requests();
  REQUIRE(requests.size() >= 4);
  CHECK(requests[0].body == "abcde");
  CHECK(requests[1].head.starts_with("POST /none "));
  CHECK(requests[2].head.starts_with("GET /get?x "));
  CHECK(requests[3].head.starts_with("HEAD /head "));
  CHECK(requests.back().head.starts_with("DELETE /delete "));
}

TEST_CASE("the forwarder passes status, headers and body of a response on") {
  RawUpstream upstream;
  upstream.reply_to(
      "/limited",
      "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 3\r\nX-Twice: a\r\nX-Twice: b\r\n"
      "Keep-Alive: timeout=1\r\nContent-Type: application/json\r\n"
      "Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nab\0cd"s);
  upstream.reply_to(
      "/chunks",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
      "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
  Forwarder forwarder(upstream.url());
  Peer client = Peer::connect_to(forwarder.url());
  const auto limited = client.exchange(post("/limited", "{}", "Accept-Encoding: gzip\r\n"));
  CHECK(limited.starts_with("HTTP/1.1 429 "));
  for (const auto* line : {"\r\nRetry-After: 3\r\n", "\r\nX-Twice: a\r\n", "\r\nX-Twice: b\r\n",
                           "\r\nContent-Encoding: gzip\r\n"}) {
    CHECK_THAT(limited, Catch::Contains(line));
  }
  CHECK(limited.ends_with("\r\n\r\nab\0cd"s));
  CHECK(client.exchange(post("/chunks", "{}")).ends_with("\r\n\r\nabc"));
}

TEST_CASE("the forwarder answers for an upstream that has gone") {
  auto gone = std::make_unique<RawUpstream>();
  Forwarder forwarder(gone->url());
  Peer client = Peer::connect_to(forwarder.url());
  CHECK(client.exchange(post("/", "{}")).starts_with("HTTP/1.1 200 "));
  gone.reset();
  const auto refused = client.exchange(post("/", "{}"));
  CHECK(refused.starts_with("HTTP/1.1 502 "));
  CHECK_THAT(refused, Catch::Contains("{\"error\":{\"message\":\"upstream: "));
}

TEST_CASE("the forwarder serves connections at once") {
  RawUpstream upstream;
  Forwarder forwarder(upstream.url());
  std::vector<std::thread> clients;
  std::atomic<int> good = 0;
  for (int i = 0; i < 32; ++i) {
    clients.emplace_back([&] {
      Peer client = Peer::connect_to(forwarder.url());
      for (int j = 0; j < 20; ++j) good += client.exchange(post("/", "{}")).ends_with("{\"ok\":1}");
    });
  }
  for (auto& client : clients) client.join();
  CHECK(good == 32 * 20);
}

TEST_CASE("the forwarder stops cleanly, also while a client is connected") {
  RawUpstream upstream;
  Forwarder forwarder(upstream.url());
  Peer client = Peer::connect_to(forwarder.url());
  client.exchange(post("/", "{}"));
  CHECK(forwarder.stop().code == 0);
}

TEST_CASE("the forwarder says that its port is taken") {
  RawUpstream upstream;
  Forwarder first(upstream.url());
  SubprocessOptions options;
  options.argv = {TARE_BIN_DIR "/tare-forwarder-httplib", "--listen", first.url().substr(7),
                  "--upstream", upstream.url()};
  const auto second = run_to_end(options, "", std::chrono::seconds(10));
  REQUIRE(second);
  CHECK(second->status.code == 1);
  CHECK_THAT(second->err, Catch::Contains("cannot listen on " + first.url().substr(7)));
}
