#include "proxy/server/forward_head.h"

#include <catch2/catch.hpp>

#include "proxy/server/own_reply.h"

using namespace tare::server;

namespace {

const UpstreamUrl upstream{"up", 81, "up:81", ""};

std::string forwarded(const RequestHead& head, Framing framing = {}, bool keep_expect = true) {
  return ForwardHead(head, upstream, Access({}), {keep_expect, false}).with(framing);
}

std::string returned(const ResponseHead& head, Framing framing = {}, bool close = false) {
  std::string out;
  append_response_head(out, head, framing, close);
  return out;
}

}  // namespace

TEST_CASE(
    "fields are sent on in their order, spelling and number, and Host becomes the upstream's") {
  CHECK(forwarded({"PATCH",
                   "/a?b=%20",
                   11,
                   {{"x-b", "2"},
                    {"hOst", "localhost:8787"},
                    {"X-A", "\xc3\xa9 \x80"},
                    {"x-b", ""},
                    {"Via", "1.1 other"},
                    {"Content-Length", "12"},
                    {"Authorization", "Bearer t"}}},
                  {Framing::Kind::length, 12}) ==
        "PATCH /a?b=%20 HTTP/1.1\r\nx-b: 2\r\nhOst: up:81\r\nX-A: \xc3\xa9 \x80\r\nx-b: \r\nVia: "
        "1.1 other\r\n"
        "Content-Length: 12\r\nAuthorization: Bearer t\r\n\r\n");
}

TEST_CASE("what belongs to one hop is not sent on") {
  CHECK(forwarded({"GET",
                   "/",
                   11,
                   {{"Host", "a"},
                    {"Connection", "close, X-Hop , upgrade"},
                    {"Connection", "x-hop-2"},
                    {"X-Hop", "1"},
                    {"x-HOP-2", "1"},
                    {"X-End", "1"},
                    {"Keep-Alive", "timeout=5"},
                    {"Proxy-Connection", "keep-alive"},
                    {"TE", "trailers"},
                    {"Upgrade", "websocket"},
                    {"Proxy-Authorization", "Basic c2VjcmV0"},
                    {"Proxy-Authenticate", "Basic"}}}) ==
        "GET / HTTP/1.1\r\nHost: up:81\r\nX-End: 1\r\n\r\n");
}

TEST_CASE("naming Host or the length in Connection takes neither away") {
  CHECK(
      forwarded({"POST",
                 "/",
                 11,
                 {{"Connection", "host, content-length"}, {"Host", "a"}, {"Content-Length", "3"}}},
                {Framing::Kind::length, 3}) ==
      "POST / HTTP/1.1\r\nHost: up:81\r\nContent-Length: 3\r\n\r\n");
}

TEST_CASE("the new length stands where the client framed its body, in its spelling") {
  const RequestHead lengthy{"POST", "/", 11, {{"Host", "a"}, {"content-length", "99"}, {"X", "1"}}};
  CHECK(forwarded(lengthy, {Framing::Kind::length, 7}) ==
        "POST / HTTP/1.1\r\nHost: up:81\r\ncontent-length: 7\r\nX: 1\r\n\r\n");
  const RequestHead chunked{
      "POST", "/", 11, {{"Host", "a"}, {"Transfer-Encoding", "chunked"}, {"X", "1"}}};
  CHECK(forwarded(chunked, {Framing::Kind::length, 7}) ==
        "POST / HTTP/1.1\r\nHost: up:81\r\nContent-Length: 7\r\nX: 1\r\n\r\n");
  CHECK(forwarded(chunked, {Framing::Kind::chunked, 0}) ==
        "POST / HTTP/1.1\r\nHost: up:81\r\nTransfer-Encoding: chunked\r\nX: 1\r\n\r\n");
}

TEST_CASE("Expect is passed on only while the upstream is to answer it") {
  const RequestHead head{"POST", "/", 11, {{"Host", "a"}, {"Expect", "100-continue"}}};
  CHECK(forwarded(head, {}, true) ==
        "POST / HTTP/1.1\r\nHost: up:81\r\nExpect: 100-continue\r\n\r\n");
  CHECK(forwarded(head, {}, false) == "POST / HTTP/1.1\r\nHost: up:81\r\n\r\n");
}

TEST_CASE("an HTTP/1.0 request without Host gets one") {
  CHECK(forwarded({"GET", "/", 10, {{"X", "1"}}}) ==
        "GET / HTTP/1.1\r\nX: 1\r\nHost: up:81\r\n\r\n");
}

TEST_CASE("the upstream's prefix comes before the target") {
  const UpstreamUrl with_prefix{"up", 80, "up", "/pre/fix"};
  CHECK(ForwardHead({"GET", "/a?b", 11, {}}, with_prefix, Access({}), {})
            .with({})
            .starts_with("GET /pre/fix/a?b HTTP/1.1\r\n"));
  CHECK(ForwardHead({"OPTIONS", "*", 11, {}}, with_prefix, Access({}), {})
            .with({})
            .starts_with("OPTIONS * HTTP/1.1\r\n"));
}

TEST_CASE("a response's fields are passed on in their order, without what belongs to one hop") {
  CHECK(returned({299,
                  "Odd  reason",
                  11,
                  {{"Set-Cookie", "a=1"},
                   {"X", "\xff"},
                   {"Connection", "keep-alive, X-Hop"},
                   {"Keep-Alive", "timeout=5"},
                   {"X-Hop", "1"},
                   {"set-cookie", "b=2"},
                   {"Transfer-Encoding", "chunked"},
                   {"Trailer", "X-T"}}},
                 {Framing::Kind::chunked, 0}) ==
        "HTTP/1.1 299 Odd  reason\r\nSet-Cookie: a=1\r\nX: \xff\r\nset-cookie: b=2\r\nTrailer: "
        "X-T\r\n"
        "Transfer-Encoding: chunked\r\n\r\n");
}

TEST_CASE("a response's length is said once, and only where it may be") {
  const auto with_length = [](unsigned status) {
    return ResponseHead{status, "", 11, {{"Content-Length", "5"}, {"Content-Length", "5"}}};
  };
  CHECK(returned(with_length(200), {Framing::Kind::length, 5}, true) ==
        "HTTP/1.1 200 \r\nContent-Length: 5\r\nConnection: close\r\n\r\n");
  CHECK(returned(with_length(304)) == "HTTP/1.1 304 \r\nContent-Length: 5\r\n\r\n");
  CHECK(returned(with_length(204)) == "HTTP/1.1 204 \r\n\r\n");
  CHECK(returned(with_length(103)) == "HTTP/1.1 103 \r\n\r\n");
}

TEST_CASE("equal lengths in one field of a response are sent on as one") {
  const auto with_length = [](std::string_view value) {
    return ResponseHead{200, "", 11, {{"content-length", value}}};
  };
  const auto value = GENERATE("2, 2", "2,2 , 2", "2");
  CHECK(returned(with_length(value), {Framing::Kind::length, 2}) ==
        "HTTP/1.1 200 \r\ncontent-length: 2\r\n\r\n");
  CHECK(returned(with_length(value)) == "HTTP/1.1 200 \r\ncontent-length: 2\r\n\r\n");
}

TEST_CASE("what a 426 asks to upgrade to is sent on, and with other answers it is not") {
  const auto with_upgrade = [](unsigned status) {
    return ResponseHead{
        status, "", 11, {{"upgrade", "TLS/1.0, HTTP/1.1"}, {"Connection", "Upgrade"}, {"X", "1"}}};
  };
  CHECK(returned(with_upgrade(426)) ==
        "HTTP/1.1 426 \r\nupgrade: TLS/1.0, HTTP/1.1\r\nX: 1\r\nConnection: upgrade\r\n\r\n");
  CHECK(returned(with_upgrade(426), {}, true) ==
        "HTTP/1.1 426 \r\nupgrade: TLS/1.0, HTTP/1.1\r\nX: 1\r\nConnection: upgrade\r\n"
        "Connection: close\r\n\r\n");
  CHECK(returned({426, "", 11, {{"X", "1"}}}) == "HTTP/1.1 426 \r\nX: 1\r\n\r\n");
  CHECK(returned(with_upgrade(200)) == "HTTP/1.1 200 \r\nX: 1\r\n\r\n");
}

TEST_CASE("the proxy's own replies have the API's error shape") {
  CHECK(
      write_reply({502, "upstream_error", "upstream_unreachable", "upstream \"a\\b\": gone"}, false,
                  true) ==
      "HTTP/1.1 502 Bad Gateway\r\nContent-Type: application/json\r\nContent-Length: 114\r\n\r\n"
      R"({"error":{"message":"upstream \"a\\b\": gone","type":"upstream_error","param":null,"code":"upstream_unreachable"}})");
  CHECK(write_reply({504, "upstream_error", "upstream_timeout", "x"}, true, false)
            .ends_with("\r\nConnection: close\r\n\r\n"));
}

TEST_CASE("a request to speak WebSocket is passed on without its extensions") {
  const RequestHead head{"GET",
                         "/v1/responses",
                         11,
                         {{"Host", "a"},
                          {"connection", "keep-alive, Upgrade"},
                          {"Upgrade", "WebSocket"},
                          {"Sec-WebSocket-Key", "k"},
                          {"Sec-WebSocket-Extensions", "permessage-deflate"},
                          {"Sec-WebSocket-Protocol", "p"}}};
  CHECK(asks_for_websocket(head));
  CHECK(ForwardHead(head, upstream, Access({}), {false, true}).with({}) ==
        "GET /v1/responses HTTP/1.1\r\nHost: up:81\r\nSec-WebSocket-Key: k\r\n"
        "Sec-WebSocket-Protocol: p\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
  CHECK(
      returned(
          {101,
           "Switching Protocols",
           11,
           {{"Upgrade", "websocket"}, {"Connection", "Upgrade"}, {"Sec-WebSocket-Accept", "x"}}}) ==
      "HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: x\r\nConnection: "
      "Upgrade\r\nUpgrade: websocket\r\n\r\n");
}

TEST_CASE("other upgrades are none of ours") {
  const auto asks = [](std::string_view method, int version, std::string_view connection,
                       std::string_view upgrade) {
    return asks_for_websocket(
        {method, "/", version, {{"Connection", connection}, {"Upgrade", upgrade}}});
  };
  CHECK(asks("GET", 11, "upgrade", "h2c, websocket"));
  CHECK_FALSE(asks("GET", 11, "upgrade", "h2c"));
  CHECK_FALSE(asks("GET", 11, "keep-alive", "websocket"));
  CHECK_FALSE(asks("GET", 10, "upgrade", "websocket"));
  CHECK_FALSE(asks("POST", 11, "upgrade", "websocket"));
}
