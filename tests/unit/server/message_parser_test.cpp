#include "proxy/server/message_parser.h"

#include <catch2/catch.hpp>
#include <string>

using namespace tare::server;

namespace {

std::string append(std::string body, const std::vector<boost::asio::const_buffer>& pieces) {
  for (const auto& piece : pieces)
    body.append(static_cast<const char*>(piece.data()), piece.size());
  return body;
}

// The body of a message whose `rest` comes in pieces of `step` bytes; "malformed" when it is.
template <typename Parser>
std::string body_of(const std::string& head, const std::string& rest, std::size_t step,
                    Parser& parser) {
  std::vector<boost::asio::const_buffer> pieces;
  std::size_t used = 0;
  REQUIRE(parser.parse(head, pieces, used));
  REQUIRE(used == head.size());
  std::string body;
  std::string held;
  for (std::size_t at = 0; at < rest.size() && !parser.is_done(); at += step) {
    held += rest.substr(at, step);
    pieces.clear();
    if (!parser.parse(held, pieces, used)) return "malformed";
    body = append(std::move(body), pieces);
    held.erase(0, used);
  }
  return body;
}

const std::string chunked_head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";

}  // namespace

TEST_CASE("a head's fields are given in their order, as they came") {
  RequestParser parser;
  std::vector<boost::asio::const_buffer> pieces;
  std::size_t used = 0;
  const std::string head =
      "M-X /a?b=\"c\" HTTP/1.1\r\nX-b:  2 \r\nHOST: a\r\nx-B:\r\nX-A: \xc3\xa9\xff\t1\r\n\r\n";
  REQUIRE(parser.parse(head, pieces, used));
  CHECK(used == head.size());
  CHECK(parser.is_done());
  CHECK(parser.head().method == "M-X");
  CHECK(parser.head().target == "/a?b=\"c\"");
  CHECK(parser.head().version == 11);
  std::string fields;
  for (const Field& field : parser.head().fields) {
    fields.append(field.name).append("=").append(field.value).append(";");
  }
  CHECK(fields == "X-b=2;HOST=a;x-B=;X-A=\xc3\xa9\xff\t1;");
}

TEST_CASE("a chunked body is the same in any cut") {
  struct Case {
    const char *rest, *body, *trailers;
  };
  const auto c =
      GENERATE(Case{"0\r\n\r\n", "", ""},  //
               Case{"000\r\nX: 1\r\n\r\n", "", "X: 1\r\n"}, Case{"1\r\na\r\n0\r\n\r\n", "a", ""},
               Case{"5;x=\"y\"\r\nfirst\r\n0A\r\n0123456789\r\n0\r\nX: 1\r\nY: \r\n\r\n",
                    "first0123456789", "X: 1\r\nY: \r\n"});
  const std::string rest = c.rest;
  for (std::size_t step = 1; step <= rest.size(); ++step) {
    CAPTURE(rest, step);
    RequestParser parser;
    CHECK(body_of(chunked_head, rest, step, parser) == c.body);
    CHECK(parser.is_done());
    CHECK(parser.trailers() == c.trailers);
  }
}

TEST_CASE("trailers that only a head may have, or that are the proxy's own, are left out") {
  RequestParser parser;
  const std::string head =
      "POST / HTTP/1.1\r\nConnection: X-Hop\r\nconnection: close , x-hop-2\r\nHost: a\r\n"
      "Transfer-Encoding: chunked\r\n\r\n";
  const std::string rest =
      "0\r\nX-Sum: 1\r\nX-TARE-Token: t\r\nx-tare-bypass: 1\r\nAuthorization: Bearer t\r\n"
      "Proxy-Authorization: Bearer t\r\nHost: b\r\nTrailer: X\r\nConnection: X-Sum\r\n"
      "Keep-Alive: 5\r\nTE: trailers\r\nUpgrade: h2c\r\nX-Hop: 1\r\nx-HOP-2: 1\r\n"
      "Content-Encoding: br\r\nContent-Type: a/b\r\nContent-Range: 1\r\nSet-Cookie: a\r\n"
      "Cookie: a\r\nIf-Match: x\r\nExpect: 100-continue\r\nX-Tar: 2\r\nETag: \"e\"\r\n\r\n";
  CHECK(body_of(head, rest, 7, parser).empty());
  CHECK(parser.is_done());
  CHECK(parser.trailers() == "X-Sum: 1\r\nX-Tar: 2\r\nETag: \"e\"\r\n");
}

TEST_CASE("a trailer that would frame the body anew makes it malformed") {
  const std::string rest =
      GENERATE("0\r\nContent-Length: 1\r\n\r\n", "0\r\nTransfer-Encoding: chunked\r\n\r\n");
  RequestParser parser;
  CHECK(body_of(chunked_head, rest, 1, parser) == "malformed");
}

TEST_CASE("a chunked body that is malformed is so in any cut") {
  const std::string rest = GENERATE("g\r\n0\r\n\r\n", "1\r\nab\r\n0\r\n\r\n", "-1\r\n0\r\n\r\n",
                                    "5\nfirst\r\n0\r\n\r\n", "0\r\nno colon\r\n\r\n");
  for (std::size_t step = 1; step <= rest.size(); ++step) {
    CAPTURE(rest, step);
    RequestParser parser;
    CHECK(body_of(chunked_head, rest, step, parser) == "malformed");
  }
}

TEST_CASE("what follows a message is not taken for its body") {
  RequestParser parser;
  std::vector<boost::asio::const_buffer> pieces;
  std::size_t used = 0;
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n";
  REQUIRE(parser.parse(head, pieces, used));
  REQUIRE(parser.parse("abcGET /", pieces, used));
  CHECK(used == 3);
  CHECK(append({}, pieces) == "abc");
  CHECK(parser.is_done());
}

TEST_CASE("only a body without framing ends with the connection") {
  const auto ended = [](const std::string& head) {
    ResponseParser parser;
    std::vector<boost::asio::const_buffer> pieces;
    std::size_t used = 0;
    REQUIRE(parser.parse(head, pieces, used));
    return parser.end();
  };
  CHECK(ended("HTTP/1.1 200 OK\r\n\r\n"));
  CHECK_FALSE(ended("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n"));
  CHECK_FALSE(ended("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"));
}
