// What of a request reaches the upstream.
#include <catch2/catch.hpp>
#include <future>
#include <string>
#include <vector>

#include "proxy_fixture.h"

using namespace std::string_literals;
using namespace tare::test;

TEST_CASE("a request reaches the upstream as it came, but for Host and what belongs to one hop") {
  Listener upstream;
  Proxy proxy(upstream.url());
  auto client = proxy.connect();
  const auto long_value = std::string(3000, 'v');
  const auto body = "{\"input\" : 1.0}\n"s + "\0\xff\r\n\r\n"s + std::string(22000, 'x');
  client.send(
      "POST /v1/a/../b?q=%20a&b HTTP/1.1\r\nhost: localhost\r\nX-Twice: 1\r\nAuthorization: Bearer "
      "t\r\n"
      "x-twice: 2\r\nX-Long: " +
      long_value +
      "\r\nX-Bytes: \xc3\xa9\x80\r\nAccept-Encoding: gzip, br\r\n"
      "Connection: keep-alive, X-Hop\r\nX-Hop: 1\r\nUpgrade: websocket\r\nX-Empty:\r\n"
      "Content-Length: " +
      std::to_string(body.size()) + "\r\nX-Last: 1\r\n\r\n" + body);
  auto served = upstream.accept();
  CHECK(served.read_message() ==
        "POST /v1/a/../b?q=%20a&b HTTP/1.1\r\nhost: " + upstream.authority() +
            "\r\nX-Twice: 1\r\n"
            "Authorization: Bearer t\r\nx-twice: 2\r\nX-Long: " +
            long_value +
            "\r\nX-Bytes: \xc3\xa9\x80\r\n"
            "Accept-Encoding: gzip, br\r\nX-Empty: \r\nContent-Length: " +
            std::to_string(body.size()) + "\r\nX-Last: 1\r\n\r\n" + body);
  served.send(reply("ok"));
  CHECK(client.read_message() == reply("ok"));
}

TEST_CASE("any method and path is forwarded") {
  Listener upstream;
  Proxy proxy(upstream.url());
  auto client = proxy.connect();
  const auto start_line =
      GENERATE(as<std::string>(), "GET /health", "DELETE /v1/responses/resp_1", "BREW /pot?a",
               "OPTIONS *", "PUT /a//b", "GET /healthz", "GET /metrics");
  client.send(start_line + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  auto served = upstream.accept();
  CHECK(served.read_until("\r\n") == start_line + " HTTP/1.1\r\n");
  served.read_head();
  served.send(reply(""));
  CHECK(client.read_message() == reply(""));
}

TEST_CASE("the upstream's prefix is put before the path") {
  Listener upstream;
  Proxy proxy(upstream.url() + "/some/prefix/");
  auto client = proxy.connect();
  client.send(request("GET", "/v1/models?limit=1"));
  CHECK(
      upstream.accept().read_head().starts_with("GET /some/prefix/v1/models?limit=1 HTTP/1.1\r\n"));
}

TEST_CASE("both sides keep their connection for the next request") {
  Listener upstream;
  Proxy proxy(upstream.url());
  auto client = proxy.connect();
  client.send(post("/1", "first"));
  auto served = upstream.accept();
  for (int i = 0; i < 20; ++i) {
    CHECK(body_of(served.read_message()) == "first");
    served.send(reply("one"));
    CHECK(client.read_message() == reply("one"));
    client.send(post("/1", "first"));
  }
  served.read_message();
  CHECK_FALSE(upstream.has_waiting());
  SECTION("and another client may use the upstream's after it") {
    served.send(reply("one"));
    client.read_message();
    auto other = proxy.connect();
    other.send(post("/2", "second"));
    CHECK(body_of(served.read_message()) == "second");
    CHECK_FALSE(upstream.has_waiting());
  }
  SECTION("but never while it is in use") {
    auto other = proxy.connect();
    other.send(post("/2", "second"));
    CHECK(body_of(upstream.accept().read_message()) == "second");
  }
}

TEST_CASE(
    "an upstream's connection that is to close, or says more than it should, is not used again") {
  Listener upstream;
  Proxy proxy(upstream.url());
  auto client = proxy.connect();
  client.send(request("GET", "/1"));
  auto first = upstream.accept();
  first.read_head();
  const auto last = GENERATE(as<std::string>(),
                             "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
                             "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
                             "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n");
  first.send(last);
  CHECK(client.read_message() == "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  client.send(request("GET", "/2"));
  auto second = upstream.accept();
  CHECK(second.read_head().starts_with("GET /2 "));
  second.send(reply("second"));
  CHECK(client.read_message() == reply("second"));
}

TEST_CASE("pipelined requests are answered one after the other") {
  Listener upstream;
  Proxy proxy(upstream.url());
  auto client = proxy.connect();
  client.send(post("/1", "one") + request("GET", "/2") + post("/v1/responses", "three"));
  auto served = upstream.accept();
  for (const auto* body : {"one", "", "three"}) {
    CHECK(body_of(served.read_message()) == body);
    served.send(reply(body));
    CHECK(client.read_message() == reply(body));
  }
}

TEST_CASE("a request that arrives byte by byte is forwarded") {
  Listener upstream;
  Proxy proxy(upstream.url());
  auto client = proxy.connect();
  for (const char byte : post("/v1/x", "hello")) client.send({&byte, 1});
  CHECK(body_of(upstream.accept().read_message()) == "hello");
}

TEST_CASE("a chunked request passes through as its chunks come, with its trailers") {
  Listener upstream;
  Proxy proxy(upstream.url());
  auto client = proxy.connect();
  client.send(
      "POST /upload HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: "
      "chunked\r\n\r\n5;ext=1\r\nfirst\r\n");
  auto served = upstream.accept();
  CHECK(served.read_head().find("\r\nTransfer-Encoding: chunked\r\n") != std::string::npos);
  CHECK(served.read_until("first\r\n") == "5\r\nfirst\r\n");
  client.send("0006\r\nsecond");
  CHECK(served.read_until("second") == "6\r\nsecond");
  client.send("\r\n00\r\nX-Sum: 1\r\n\r\n");
  CHECK(served.read_until("X-Sum: 1\r\n\r\n") == "\r\n0\r\nX-Sum: 1\r\n\r\n");
  served.send(reply("ok"));
  CHECK(client.read_message() == reply("ok"));
}

TEST_CASE("a large body streams through without being held") {
  Listener upstream;
  Proxy proxy(upstream.url(), {"--forward-only"});
  auto client = proxy.connect();
  std::string body(std::size_t{20} << 20, '\0');
  for (std::size_t i = 0; i < body.size(); ++i) body[i] = static_cast<char>(i * 2654435761U >> 13);
  auto sending =
      std::async(std::launch::async, [&] { return client.send(post("/v1/responses", body)); });
  auto served = upstream.accept();
  const auto head = served.read_head();
  // The head is here before the client has been able to send the rest.
  CHECK(head.find("Content-Length: " + std::to_string(body.size())) != std::string::npos);
  CHECK((served.read_bytes(body.size()) == body));
  CHECK(sending.get());
  auto answering = std::async(std::launch::async, [&] { return served.send(reply(body)); });
  CHECK((body_of(client.read_message()) == body));
  CHECK(answering.get());
}

TEST_CASE("Expect is the upstream's to answer while the body passes through") {
  Listener upstream;
  Proxy proxy(upstream.url());
  auto client = proxy.connect();
  client.send(
      "POST /upload HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: "
      "4\r\n\r\n");
  auto served = upstream.accept();
  CHECK(served.read_head().find("\r\nExpect: 100-continue\r\n") != std::string::npos);
  SECTION("it asks for the body") {
    served.send("HTTP/1.1 100 Continue\r\n\r\n");
    CHECK(client.read_head() == "HTTP/1.1 100 Continue\r\n\r\n");
    client.send("body");
    CHECK(served.read_bytes(4) == "body");
    served.send(reply("ok"));
    CHECK(client.read_message() == reply("ok"));
  }
  SECTION("it refuses the body") {
    served.send(reply("no", "413 Content Too Large"));
    CHECK(client.read_to_end() == reply("no", "413 Content Too Large"));
  }
}

TEST_CASE("a final answer reaches a client that still sends its body") {
  Listener upstream;
  Proxy proxy(upstream.url());
  auto client = proxy.connect();
  client.send(
      "POST /upload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\nbeginning");
  auto served = upstream.accept();
  served.read_until("beginning");
  served.send(reply("too much", "413 Content Too Large"));
  served.close();
  CHECK(client.read_message() == reply("too much", "413 Content Too Large"));
  client.send(std::string(500000, 'x'));
  CHECK(client.read_to_end().empty());
  CHECK_FALSE(client.was_reset());
}

TEST_CASE("a body that goes wrong after the answer has begun cuts both sides") {
  Listener upstream;
  Proxy proxy(upstream.url());
  auto client = proxy.connect();
  client.send(
      "POST /upload HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: "
      "chunked\r\n\r\n5\r\nfirst\r\n");
  auto served = upstream.accept();
  served.read_until("first\r\n");
  served.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
  client.read_until("half");
  client.send("nonsense\r\n");
  CHECK(client.read_to_end().empty());
  CHECK(served.read_to_end().empty());
}

TEST_CASE("the upstream's request ends when the client goes") {
  Listener upstream;
  Proxy proxy(upstream.url());
  auto client = proxy.connect();
  SECTION("while it waits for the response") {
    client.send(post("/v1/responses", R"({"input":[]})"));
    auto served = upstream.accept();
    served.read_message();
    client.close();
    CHECK(served.read_to_end().empty());
  }
  SECTION("while its body passes through") {
    client.send("POST /upload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nbeginning");
    auto served = upstream.accept();
    served.read_until("beginning");
    client.close();
    CHECK(served.read_to_end().empty());
  }
  SECTION("while the response streams") {
    client.send(request("GET", "/events"));
    auto served = upstream.accept();
    served.read_head();
    served.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n");
    client.read_until("first");
    client.reset();
    CHECK(served.read_to_end().empty());
  }
  SECTION("before its body is whole, nothing is sent") {
    client.send(
        "POST /v1/responses HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nbeginning");
    client.close();
    auto other = proxy.connect();
    other.send(request("GET", "/other"));
    CHECK(upstream.accept().read_head().starts_with("GET /other "));
  }
}

TEST_CASE("an HTTP/1.0 client gets a response that it can read, and the end of the connection") {
  Listener upstream;
  Proxy proxy(upstream.url());
  auto client = proxy.connect();
  client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  auto served = upstream.accept();
  CHECK(served.read_head() == "GET / HTTP/1.1\r\nHost: " + upstream.authority() + "\r\n\r\n");
  served.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n");
  served.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n");
  CHECK(client.read_until("one") == "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\none");
  SECTION("in order when the response is whole") {
    served.send("3\r\ntwo\r\n0\r\n\r\n");
    CHECK(client.read_to_end() == "two");
    CHECK_FALSE(client.was_reset());
  }
  SECTION("visibly broken when it is not") {
    served.close();
    CHECK(client.read_to_end().empty());
    CHECK(client.was_reset());
  }
}

TEST_CASE("an upstream that does not read stops the client") {
  Listener upstream;
  Proxy proxy(upstream.url());
  auto client = proxy.connect();
  client.send("POST /upload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000\r\n\r\n");
  auto served = upstream.accept();
  served.read_head();
  const std::size_t limit = std::size_t{200} << 20;
  const std::size_t taken = client.send_until_stopped(limit);
  CHECK(taken < limit);
  CHECK(served.read_bytes(taken).size() == taken);
}

TEST_CASE("of the connections to an upstream 64 are kept, the latest") {
  constexpr std::size_t kept = 64;
  Listener upstream;
  Proxy proxy(upstream.url());
  std::vector<Peer> clients;
  std::vector<Peer> served;
  for (std::size_t i = 0; i < kept + 2; ++i) {
    clients.push_back(proxy.connect());
    clients.back().send(request("GET", "/"));
    served.push_back(upstream.accept());
    served.back().read_head();
  }
  for (std::size_t i = 0; i < kept + 2; ++i) {
    served[i].send(reply("ok"));
    CHECK(clients[i].read_message() == reply("ok"));
  }
  CHECK(served[0].read_to_end().empty());
  CHECK(served[1].read_to_end().empty());
  clients[0].send(request("GET", "/again"));
  CHECK(served.back().read_head().starts_with("GET /again "));
}
