// What of a response reaches the client, and what the client gets when there is none.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include "proxy_fixture.h"

using namespace std::string_literals;
using namespace tare::test;

namespace {

// A client that has sent a request and an upstream that has read it.
struct Asked {
  explicit Asked(const std::string& text = request("GET", "/v1/x"))
      : client(proxy.connect()), served(ask(text)) {}

  Peer ask(const std::string& text) {
    client.send(text);
    Peer peer = upstream.accept();
    peer.read_message();
    return peer;
  }

  Listener upstream;
  Proxy proxy{upstream.url()};
  Peer client;
  Peer served;
};

const auto stream_head =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"s;

// A connection that is being made, without waiting for it.
class Socket {
 public:
  explicit Socket(const std::string& url)
      : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1))));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::connect(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof address);
  }
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&&) = delete;
  ~Socket() { ::close(descriptor_); }

  bool is_connected() const {
    tcp_info info{};
    socklen_t size = sizeof info;
    ::getsockopt(descriptor_, IPPROTO_TCP, TCP_INFO, &info, &size);
    return info.tcpi_state == TCP_ESTABLISHED;
  }

 private:
  int descriptor_;
};

}  // namespace

TEST_CASE("a response reaches the client as it came, but for what belongs to one hop") {
  Asked asked;
  asked.served.send(
      "HTTP/1.1 429 Slow  Down\r\nX-B: 1\r\nset-cookie: a\r\nX-A: \xc3\xa9\r\nSet-Cookie: b\r\n"
      "Connection: keep-alive, X-Hop\r\nKeep-Alive: timeout=5\r\nX-Hop: 1\r\nContent-Encoding: "
      "br\r\n"
      "Content-Length: 5\r\n\r\n\0\r\n\n\xff"s);
  CHECK(asked.client.read_message() ==
        "HTTP/1.1 429 Slow  Down\r\nX-B: 1\r\nset-cookie: a\r\nX-A: \xc3\xa9\r\nSet-Cookie: b\r\n"
        "Content-Encoding: br\r\nContent-Length: 5\r\n\r\n\0\r\n\n\xff"s);
}

TEST_CASE("each event of a stream is passed on before the next is there") {
  Asked asked(post("/v1/responses", R"({"stream":true})"));
  asked.served.send(stream_head);
  CHECK(asked.client.read_head() ==
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 50; ++i) {
    const auto event = "event: delta\ndata: {\"n\":" + std::to_string(i) + "}\n\n";
    char size[8];
    std::snprintf(size, sizeof size, "%zx\r\n", event.size());
    asked.served.send(size + event + "\r\n");
    CHECK(asked.client.read_until("\r\n") == size);
    CHECK(asked.client.read_until("\n\n\r\n") == event + "\r\n");
  }
  asked.served.send("0\r\n\r\n");
  CHECK(asked.client.read_until("0\r\n\r\n") == "0\r\n\r\n");
}

TEST_CASE("part of an event is passed on too") {
  Asked asked;
  asked.served.send(stream_head + "100\r\ndata: begin");
  CHECK(asked.client.read_until("data: begin").ends_with("\r\nb\r\ndata: begin"));
}

TEST_CASE("chunks, extensions and trailers in any cut give the same body") {
  const auto text =
      stream_head +
      "5;a=\"b\"\r\nfirst\r\n1\r\n,\r\n00006\r\nsecond\r\n0\r\nX-Sum: 9\r\nX-More: \r\n\r\n";
  Asked asked;
  const auto step = GENERATE(std::size_t{1}, std::size_t{7}, std::size_t{1000});
  for (std::size_t at = 0; at < text.size(); at += step)
    asked.served.send(std::string_view(text).substr(at, step));
  asked.client.read_head();
  CHECK(asked.client.read_chunked() == "first,secondX-Sum: 9\r\nX-More: \r\n");
  asked.client.send(request("GET", "/again"));
  CHECK(asked.served.read_head().starts_with("GET /again "));
}

TEST_CASE("trailers of a response that only a head may have are left out") {
  Asked asked;
  asked.served.send(
      "HTTP/1.1 200 OK\r\nConnection: X-Hop\r\nTransfer-Encoding: chunked\r\n\r\n"
      "1\r\na\r\n0\r\nX-Sum: 9\r\nConnection: close\r\nX-Hop: 1\r\nTrailer: X\r\n"
      "Set-Cookie: a\r\nContent-Type: a/b\r\nX-More: 1\r\n\r\n");
  asked.client.read_head();
  CHECK(asked.client.read_chunked() == "aX-Sum: 9\r\nX-More: 1\r\n");
}

TEST_CASE("a body that ends with the connection reaches the client as a whole one") {
  Asked asked;
  asked.served.send("HTTP/1.1 200 OK\r\n\r\nbeginning");
  CHECK(asked.client.read_head() == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
  asked.served.send(" and end");
  asked.served.close();
  CHECK(asked.client.read_chunked() == "beginning and end");
  asked.client.send(request("GET", "/again"));
  CHECK(asked.upstream.accept().read_head().starts_with("GET /again "));
}

TEST_CASE("a response that breaks off is not made to look whole") {
  Asked asked;
  SECTION("in a chunked body") {
    asked.served.send(stream_head + "5\r\nfirst\r\n");
    asked.client.read_until("first\r\n");
    asked.served.close();
    CHECK(asked.client.read_to_end().empty());
  }
  SECTION("in a body of known length") {
    asked.served.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbeginning");
    asked.served.close();
    CHECK(asked.client.read_to_end() == "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbeginning");
  }
  SECTION("in a body that only a proper close can end") {
    asked.served.send("HTTP/1.1 200 OK\r\n\r\nbeginning");
    asked.client.read_until("beginning\r\n");
    asked.served.reset();
    CHECK(asked.client.read_to_end().empty());
  }
  SECTION("by a chunk that is none") {
    asked.served.send(stream_head + "5\r\nfirst\r\n");
    asked.client.read_until("first\r\n");
    asked.served.send("nonsense\r\n");
    CHECK(asked.client.read_to_end().empty());
  }
}

TEST_CASE("responses without a body end with their head") {
  struct Case {
    const char *method, *sent, *received;
  };
  const auto c =
      GENERATE(Case{"HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n",
                    "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n"},
               Case{"HEAD", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
                    "HTTP/1.1 200 OK\r\n\r\n"},
               Case{"GET", "HTTP/1.1 304 Not Modified\r\nETag: x\r\nContent-Length: 500\r\n\r\n",
                    "HTTP/1.1 304 Not Modified\r\nETag: x\r\nContent-Length: 500\r\n\r\n"},
               Case{"DELETE", "HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 204 No Content\r\n\r\n"},
               Case{"GET", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
                    "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"});
  Asked asked(request(c.method, "/"));
  CAPTURE(c.method, c.sent);
  asked.served.send(c.sent);
  CHECK(asked.client.read_head() == c.received);
  asked.client.send(request("GET", "/again"));
  CHECK(asked.served.read_head().starts_with("GET /again "));
  asked.served.send(reply("again"));
  CHECK(asked.client.read_message() == reply("again"));
}

TEST_CASE("equal lengths of a response are sent on as one, and others are not sent on") {
  Asked asked;
  SECTION("equal") {
    const auto* fields = GENERATE("Content-Length: 2, 2\r\n", "Content-Length: 2,02\r\n",
                                  "Content-Length: 2\r\nContent-Length: 2\r\n");
    asked.served.send("HTTP/1.1 200 OK\r\n"s + fields + "\r\nok");
    CHECK(asked.client.read_message() == reply("ok"));
  }
  SECTION("not equal, or no lengths") {
    const auto* fields =
        GENERATE("Content-Length: 2, 3\r\n", "Content-Length: 2\r\nContent-Length: 3\r\n",
                 "Content-Length: 2,\r\n", "Content-Length: ,2\r\n", "Content-Length: 2 2\r\n",
                 "Content-Length: +2\r\n", "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n");
    CAPTURE(fields);
    asked.served.send("HTTP/1.1 200 OK\r\n"s + fields + "\r\nok");
    CHECK(asked.client.read_message().starts_with("HTTP/1.1 502 "));
  }
}

TEST_CASE("interim responses are passed on, and the final one follows") {
  Asked asked;
  asked.served.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n");
  CHECK(asked.client.read_head() == "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n");
  asked.served.send("HTTP/1.1 102 Processing\r\n\r\n" + reply("done"));
  CHECK(asked.client.read_head() == "HTTP/1.1 102 Processing\r\n\r\n");
  CHECK(asked.client.read_message() == reply("done"));
}

TEST_CASE("an upstream that cannot be reached gives 502 in the API's error shape") {
  std::string nobody;
  {
    const Listener closed;
    nobody = closed.url();
  }
  Proxy proxy(nobody);
  auto client = proxy.connect();
  for (int i = 0; i < 2; ++i) {
    client.send(post("/v1/responses", "{}", "Authorization: Bearer secret\r\n"));
    const auto answer = client.read_message();
    CHECK(answer.starts_with("HTTP/1.1 502 Bad Gateway\r\nContent-Type: application/json\r\n"));
    CHECK(body_of(answer) == R"({"error":{"message":"upstream )" + nobody.substr(7) +
                                 R"(: Connection refused","type":"upstream_error","param":null,)"
                                 R"("code":"upstream_unreachable"}})");
  }
  // One line for the outage, without what the client sent.
  const auto log = proxy.log();
  CHECK(log.find(" level=error msg=\"upstream " + nobody.substr(7) + ": Connection refused\"\n") !=
        std::string::npos);
  CHECK(std::count(log.begin(), log.end(), '\n') == 1);
}

TEST_CASE("an upstream whose name is unknown gives 502") {
  Proxy proxy("http://no-such-host.invalid");
  auto client = proxy.connect();
  client.send(request("GET", "/"));
  CHECK(client.read_message().starts_with("HTTP/1.1 502 "));
}

TEST_CASE("an upstream is found by its name") {
  Listener upstream;
  Proxy proxy("http://localhost:" + upstream.url().substr(17));
  auto client = proxy.connect();
  client.send(request("GET", "/"));
  CHECK(upstream.accept().read_head() ==
        "GET / HTTP/1.1\r\nHost: localhost:" + upstream.url().substr(17) + "\r\n\r\n");
}

TEST_CASE("an upstream that answers with anything but HTTP gives 502") {
  Asked asked;
  const auto answer = GENERATE(
      as<std::string>(), "SSH-2.0-OpenSSH_9.2\r\n\r\n", "HTTP/1.1 200 OK\nContent-Length: 0\n\n",
      "\r\n", "\r\n\r\n", "\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
      "HTTP/1.1 000 X\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 099 X\r\n\r\n", "HTTP/1.1 200 OK\r\nX: a\r\n folded\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\nzz\r\n",
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", "HTTP/3.0 200 OK\r\n\r\n",
      "HTTP/1.1 200 OK\r\nX: " + std::string(70000, 'x') + "\r\n\r\n");
  asked.served.send(answer);
  const auto got = asked.client.read_message();
  CHECK(got.starts_with("HTTP/1.1 502 "));
  CHECK(got.find("upstream_error") != std::string::npos);
}

TEST_CASE("an upstream that closes without a whole head gives 502") {
  Asked asked(post("/upload", "body"));
  asked.served.send(GENERATE(as<std::string>(), "", "HTTP/1.1 200 OK\r\nContent-"));
  SECTION("in order") {
    asked.served.close();
  }
  SECTION("by a reset") {
    asked.served.reset();
  }
  CHECK(asked.client.read_message().starts_with("HTTP/1.1 502 "));
  asked.client.send(request("GET", "/again"));
  CHECK(asked.upstream.accept().read_head().starts_with("GET /again "));
}

TEST_CASE("an upstream that does not answer in time gives 504") {
  Listener upstream;
  Proxy proxy(upstream.url(), {"--upstream-timeout", "0.2"});
  auto client = proxy.connect();
  client.send(request("GET", "/"));
  auto served = upstream.accept();
  const auto got = client.read_message();
  CHECK(got.starts_with("HTTP/1.1 504 Gateway Timeout\r\n"));
  CHECK(got.find(R"("code":"upstream_timeout")") != std::string::npos);
  CHECK(served.read_to_end().starts_with("GET / "));
}

TEST_CASE("a request that meets a connection just closed is sent once more, when it can be") {
  Asked asked;
  asked.served.send(reply("first"));
  asked.client.read_message();
  // Without a body, and with one that was held.
  const auto second =
      GENERATE(as<std::string>(), request("GET", "/second"), post("/v1/responses", "{}"));
  asked.client.send(second);
  CHECK(asked.served.read_message().size() > 0);
  asked.served.reset();
  auto again = asked.upstream.accept();
  CHECK(again.read_message().size() > 0);
  SECTION("and only once") {
    again.reset();
    CHECK(asked.client.read_message().starts_with("HTTP/1.1 502 "));
    CHECK_FALSE(asked.upstream.has_waiting());
  }
  SECTION("and then answered") {
    again.send(reply("second"));
    CHECK(asked.client.read_message() == reply("second"));
  }
}

TEST_CASE("a body that streamed through is not sent twice") {
  Asked asked;
  asked.served.send(reply("first"));
  asked.client.read_message();
  asked.client.send(post("/upload", "body"));
  asked.served.read_message();
  asked.served.reset();
  CHECK(asked.client.read_message().starts_with("HTTP/1.1 502 "));
  CHECK_FALSE(asked.upstream.has_waiting());
}

TEST_CASE("an idle connection that the upstream closes is not used") {
  Asked asked;
  asked.served.send(reply("first"));
  asked.client.read_message();
  asked.served.close();
  // A body that cannot be sent again: it must not meet the closed connection. The proxy has seen
  // the close once it has answered a request that came later.
  auto other = asked.proxy.connect();
  other.send("nonsense\r\n\r\n");
  other.read_to_end();
  asked.client.send(post("/upload", "body"));
  CHECK(body_of(asked.upstream.accept().read_message()) == "body");
}

TEST_CASE("what waits on an idle connection when a request comes is no answer to it") {
  Asked asked;
  asked.served.send(reply("first"));
  CHECK(asked.client.read_message() == reply("first"));
  // The proxy finds the request and what the upstream did at once.
  asked.proxy.process().signal(SIGSTOP);
  asked.client.send(post("/upload", "body"));
  SECTION("an answer to nothing") {
    asked.served.send(reply("poison"));
  }
  SECTION("an empty line") {
    asked.served.send("\r\n");
  }
  SECTION("a close") {
    asked.served.close();
  }
  asked.proxy.process().signal(SIGCONT);
  auto served = asked.upstream.accept();
  CHECK(body_of(served.read_message()) == "body");
  served.send(reply("second"));
  CHECK(asked.client.read_message() == reply("second"));
}

TEST_CASE("a client that does not read stops the upstream") {
  Asked asked;
  asked.served.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n");
  asked.client.read_head();
  // A gigabyte would be taken if it were collected; what the sockets on the way hold is far less.
  const std::size_t limit = std::size_t{200} << 20;
  const std::size_t taken = asked.served.send_until_stopped(limit);
  CHECK(taken < limit);
  // It was waiting, not stuck: what was taken comes as soon as the client reads.
  CHECK(asked.client.read_bytes(taken).size() == taken);
}

TEST_CASE("an answer of another kind than was asked for reaches the client as it came") {
  struct Case {
    const char* what;
    std::string body;
    std::string answer;
  };
  const auto c = GENERATE(
      Case{"an error for a stream", R"({"stream":true})",
           reply(R"({"error":{"message":"overloaded"}})", "529 Overloaded")},
      Case{"a web page for a stream", R"({"stream":true})",
           reply("<html>\xff\0</html>"s, "503 Service Unavailable")},
      Case{"events where none were asked for", R"({"stream":false})",
           "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 9\r\n\r\n"
           "data: 1\n\n"s},
      Case{"packed, as the client may have allowed", "{}",
           "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 3\r\n\r\n\x0b\x01\x80"s});
  CAPTURE(c.what);
  Asked asked(post("/v1/responses", c.body));
  asked.served.send(c.answer);
  CHECK(asked.client.read_message() == c.answer);
}

TEST_CASE("a stream that stands still is cut after its time") {
  Listener upstream;
  Proxy proxy(upstream.url(), {"--upstream-timeout", "0.2"});
  auto client = proxy.connect();
  client.send(request("GET", "/"));
  auto served = upstream.accept();
  served.read_head();
  served.send(stream_head + "4\r\ndata\r\n");
  const auto got = client.read_to_end();
  CHECK(got.ends_with("4\r\ndata\r\n"));
  CHECK(served.read_to_end().empty());
}

TEST_CASE("an upstream that accepts nobody gives 504") {
  // Its backlog is full: a further connection is neither made nor refused.
  const Listener upstream(0);
  std::vector<Socket> waiting;
  while (waiting.empty() || waiting.back().is_connected()) waiting.emplace_back(upstream.url());
  Proxy proxy(upstream.url(), {"--connect-timeout", "0.2"});
  auto client = proxy.connect();
  client.send(request("GET", "/"));
  const auto got = client.read_message();
  CHECK(got.starts_with("HTTP/1.1 504 Gateway Timeout\r\n"));
  CHECK(got.find("did not accept a connection in time") != std::string::npos);
}
