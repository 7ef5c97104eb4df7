// How the server starts and stops.
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <string>
#include <vector>

#include "proxy_fixture.h"

using namespace tare;
using namespace tare::test;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {

Output serve(std::vector<std::string> arguments) {
  SubprocessOptions options;
  options.argv = {TARE_BIN_DIR "/tare-proxy", "serve"};
  options.argv.insert(options.argv.end(), arguments.begin(), arguments.end());
  auto output = run_to_end(options, {}, 60s);
  REQUIRE(output);
  return *output;
}

// One line that says what is wrong, and nothing on stdout.
void check_refused(const Output& output, int code, const std::string& word) {
  CHECK(output.status.code == code);
  CHECK(output.out.empty());
  CHECK_THAT(output.err, Contains(word));
  CHECK(output.err.find('\n') == output.err.size() - 1);
}

}  // namespace

TEST_CASE("addresses that cannot be used are one line that names the remedy") {
  check_refused(serve({"--upstream", "http://127.0.0.1:1", "--listen", "0.0.0.0:0"}), 2,
                "--token-file");
  check_refused(serve({"--upstream", "https://api.example.com", "--ca-file", "/dev/null"}), 2,
                "--ca-file");
  check_refused(serve({"--upstream", "http://a", "--route", "/b"}), 2, "--route");
  check_refused(serve({"--upstream", "api.example.com"}), 2, "https://host[:port]");
  check_refused(serve({"--upstream", "http://a", "--listen", "127.0.0.1:65536"}), 2, "65535");
  check_refused(serve({"--upstream", "http://a", "--listen", "127.0.0.1"}), 2, "ADDRESS:PORT");
  check_refused(serve({"--upstream", "http://127.0.0.1:1", "--listen", "127.0.0.1:0", "--admin",
                       "0.0.0.0:0"}),
                2, "--admin");
  check_refused(serve({"--upstream", "http://a", "--forward-only", "--shadow"}), 2, "--shadow");
  const Listener taken;
  check_refused(serve({"--upstream", "http://127.0.0.1:1", "--listen", taken.authority()}), 1,
                "--listen");
}

TEST_CASE("a proxy that would be its own upstream is refused") {
  std::string port;
  {
    const Listener free;
    port = free.url().substr(free.url().rfind(':'));
  }
  // An address that nobody else uses: the port is only likely to be free on it.
  const auto own = "127.88.77.66" + port;
  check_refused(serve({"--upstream", "http://" + own, "--listen", own}), 2, "own address");
}

TEST_CASE("wrong arguments are a usage error") {
  CHECK(serve({}).status.code == 2);
  CHECK(serve({"--upstream", "http://a", "--no-such-option"}).status.code == 2);
  CHECK(serve({"--upstream", "http://a", "--body-timeout", "-1"}).status.code == 2);
}

TEST_CASE("an idle server stops, with its connections") {
  Listener upstream;
  Proxy proxy(upstream.url());
  auto client = proxy.connect();
  client.send(request("GET", "/"));
  auto served = upstream.accept();
  served.read_head();
  served.send(reply("ok"));
  client.read_message();
  const int number = GENERATE(SIGTERM, SIGINT);
  proxy.process().signal(number);
  CHECK(client.read_to_end().empty());
  CHECK_FALSE(client.was_reset());
  CHECK(served.read_to_end().empty());
  const auto status = proxy.process().wait(60s);
  REQUIRE(status);
  CHECK(status->code == 0);
  CHECK(proxy.log().empty());
}

TEST_CASE("a request in flight is finished before the server stops") {
  Listener upstream;
  Proxy proxy(upstream.url(), {"--drain-timeout", "1000"});
  auto idle = proxy.connect();
  auto client = proxy.connect();
  client.send(request("GET", "/"));
  auto served = upstream.accept();
  served.read_head();
  proxy.process().signal(SIGTERM);
  CHECK(idle.read_to_end().empty());
  served.send(reply("ok"));
  CHECK(client.read_to_end() ==
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok");
  client.close();
  const auto status = proxy.process().wait(60s);
  REQUIRE(status);
  CHECK(status->code == 0);
}

TEST_CASE("what is not finished in time is cut off") {
  Listener upstream;
  Proxy proxy(upstream.url(), {"--drain-timeout", "0.1"});
  auto client = proxy.connect();
  client.send(request("GET", "/"));
  auto served = upstream.accept();
  served.read_head();
  served.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
  client.read_until("half");
  proxy.process().signal(SIGTERM);
  CHECK(client.read_to_end().empty());
  CHECK(served.read_to_end().empty());
  const auto status = proxy.process().wait(60s);
  REQUIRE(status);
  CHECK(status->code == 0);
}

TEST_CASE("more clients than allowed wait for their turn") {
  Listener upstream;
  Proxy proxy(upstream.url(), {"--max-connections", "1"});
  auto first = proxy.connect();
  first.send(request("GET", "/first"));
  auto served = upstream.accept();
  served.read_head();
  auto second = proxy.connect();
  second.send(request("GET", "/second"));
  served.send(reply("one"));
  CHECK(first.read_message() == reply("one"));
  first.close();
  CHECK(served.read_head().starts_with("GET /second "));
  served.send(reply("two"));
  CHECK(second.read_message() == reply("two"));
}

TEST_CASE("several event loops share the clients and stop together") {
  Listener upstream;
  Proxy proxy(upstream.url(), {"--threads", "3", "--max-connections", "8"});
  std::vector<Peer> clients;
  std::vector<Peer> served;
  for (int i = 0; i < 8; ++i) {
    clients.push_back(proxy.connect());
    clients.back().send(request("GET", "/" + std::to_string(i)));
    served.push_back(upstream.accept());
    CHECK(served.back().read_head().starts_with("GET /" + std::to_string(i) + " "));
  }
  // One more has to wait, on whatever loop there is room first.
  auto late = proxy.connect();
  late.send(request("GET", "/late"));
  for (std::size_t i = 0; i < 8; ++i) {
    served[i].send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\n" +
                   std::to_string(i));
    CHECK(clients[i].read_message() == reply(std::to_string(i)));
  }
  clients[5].close();
  auto last = upstream.accept();
  CHECK(last.read_head().starts_with("GET /late "));
  proxy.process().signal(SIGTERM);
  last.send(reply("late"));
  CHECK(body_of(late.read_message()) == "late");
  for (std::size_t i = 0; i < 8; ++i) {
    if (i != 5) CHECK(clients[i].read_to_end().empty());
  }
}
