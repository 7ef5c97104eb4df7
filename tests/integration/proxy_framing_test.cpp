// RFC 9112 case by case: what is refused, and what is read otherwise than a careless parser would.
// proxy_policy_test.cpp has the commonest refusals, with what follows them.
#include <catch2/catch.hpp>
#include <string>

#include "proxy_fixture.h"

using namespace std::string_literals;
using namespace tare::test;

namespace {

struct Case {
  const char* section;
  const char* what;
  std::string request;
  std::string expected;  // refused: the status; accepted: what the upstream gets behind its Host
};

const auto host = "Host: localhost\r\n"s;
const auto post_head = "POST /u HTTP/1.1\r\n"s + host;
const auto chunked_head = post_head + "Transfer-Encoding: chunked\r\n\r\n";

std::string get(const std::string& line, const std::string& fields = {}) {
  return line + "\r\n" + host + fields + "\r\n";
}

}  // namespace

TEST_CASE("RFC 9112: what is refused") {
  const auto c = GENERATE(
      // The request line.
      Case{"3", "no version", get("GET /"), "400"},
      Case{"3", "two blanks", get("GET  / HTTP/1.1"), "400"},
      Case{"3", "a blank in the target", get("GET /a b HTTP/1.1"), "505"},
      Case{"3", "a tab for a blank", get("GET\t/ HTTP/1.1"), "400"},
      Case{"3", "a blank at the end", get("GET / HTTP/1.1 "), "505"},
      Case{"3", "a blank at the beginning", get(" GET / HTTP/1.1"), "400"},
      Case{"3.1", "a method that is no token", get("GE(T / HTTP/1.1"), "400"},
      Case{"3.1", "no method", get(" / HTTP/1.1"), "400"},
      Case{"3.2", "a byte above ASCII in the target", get("GET /\xc3\xa9 HTTP/1.1"), "400"},
      Case{"3.2", "a control in the target", get("GET /\x01 HTTP/1.1"), "400"},
      Case{"3.2.2", "absolute form of this server", get("GET http://localhost/ HTTP/1.1"), "400"},
      Case{"3.2.4", "asterisk with GET", get("GET * HTTP/1.1"), "400"},
      Case{"2.3", "a version of two digits", get("GET / HTTP/1.10"), "505"},
      Case{"2.3", "lower case", get("GET / http/1.1"), "505"},
      Case{"2.3", "HTTP/0.9 by number", get("GET / HTTP/0.9"), "505"},
      // Fields.
      Case{"5", "a blank in a name", get("GET / HTTP/1.1", "X Y: 1\r\n"), "400"},
      Case{"5", "a name that is no token", get("GET / HTTP/1.1", "X(: 1\r\n"), "400"},
      Case{"5", "a name above ASCII", get("GET / HTTP/1.1", "X\xe9: 1\r\n"), "400"},
      Case{"5.1", "a tab before the colon", get("GET / HTTP/1.1", "X\t: 1\r\n"), "400"},
      Case{"5.5", "a control in a value", get("GET / HTTP/1.1", "X: \x01\r\n"), "400"},
      Case{"5.5", "DEL in a value", get("GET / HTTP/1.1", "X: \x7f\r\n"), "400"},
      Case{"5.2", "a fold of blanks only", get("GET / HTTP/1.1", "X: 1\r\n \r\n"), "400"},
      Case{"3.2", "a list in Host", "GET / HTTP/1.1\r\nHost: localhost, other\r\n\r\n", "400"},
      Case{"3.2", "a user in Host", "GET / HTTP/1.1\r\nHost: other@localhost\r\n\r\n", "400"},
      // Lengths.
      Case{"6.3", "an empty length", post_head + "Content-Length:\r\n\r\n", "400"},
      Case{"6.3", "a negative length", post_head + "Content-Length: -1\r\n\r\n", "400"},
      Case{"6.3", "a hexadecimal length", post_head + "Content-Length: 0x1\r\n\r\nx", "400"},
      Case{"6.3", "a length with a fraction", post_head + "Content-Length: 1.0\r\n\r\nx", "400"},
      Case{"6.3", "two lengths by a blank", post_head + "Content-Length: 1 1\r\n\r\nx", "400"},
      Case{"6.3", "a length that wraps",
           post_head + "Content-Length: 18446744073709551617\r\n\r\nx", "400"},
      Case{"6.3", "equal lengths in a list", post_head + "Content-Length: 1,1\r\n\r\nx", "400"},
      Case{"6.3", "lengths that differ",
           post_head + "Content-Length: 1\r\ncontent-length: 2\r\n\r\nxy", "400"},
      // Transfer codings.
      Case{"6.1", "an empty coding", post_head + "Transfer-Encoding:\r\n\r\n0\r\n\r\n", "400"},
      Case{"6.1", "a coding that looks like it",
           post_head + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", "400"},
      Case{"6.1", "a quoted coding", post_head + "Transfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n",
           "400"},
      Case{"6.1", "a parameter", post_head + "Transfer-Encoding: chunked;a=b\r\n\r\n0\r\n\r\n",
           "400"},
      Case{"6.1", "a control after it",
           post_head + "Transfer-Encoding: chunked\x0b\r\n\r\n0\r\n\r\n", "400"},
      Case{"6.1", "chunked in two fields",
           post_head + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
           "400"},
      Case{"6.1", "identity after it",
           post_head + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
           "400"},
      Case{"5.1", "a blank before its colon",
           post_head + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n", "400"},
      // Chunks.
      Case{"7.1", "no size", chunked_head + "\r\n0\r\n\r\n", "400"},
      Case{"7.1", "a size with 0x", chunked_head + "0x1\r\nx\r\n0\r\n\r\n", "400"},
      Case{"7.1", "a size with a sign", chunked_head + "+1\r\nx\r\n0\r\n\r\n", "400"},
      Case{"7.1", "a size that wraps", chunked_head + "10000000000000001\r\nx\r\n0\r\n\r\n", "400"},
      Case{"7.1", "a blank before the size", chunked_head + " 1\r\nx\r\n0\r\n\r\n", "400"},
      Case{"7.1", "LF after the size", chunked_head + "1\nx\r\n0\r\n\r\n", "400"},
      Case{"7.1", "LF after the data", chunked_head + "1\r\nx\n0\r\n\r\n", "400"},
      Case{"7.1", "more data than the size", chunked_head + "1\r\nxy\r\n0\r\n\r\n", "400"},
      Case{"7.1.1", "LF in an extension", chunked_head + "1;a\nb\r\nx\r\n0\r\n\r\n", "400"},
      Case{"7.1.2", "LF after a trailer", chunked_head + "0\r\nX: 1\n\r\n", "400"},
      Case{"7.1.2", "a NUL in a trailer", chunked_head + "0\r\nX: \0\r\n\r\n"s, "400"});
  CAPTURE(c.section, c.what);
  Listener upstream;
  Proxy proxy(upstream.url());
  auto client = proxy.connect();
  client.send(c.request + "GET /smuggled HTTP/1.1\r\n" + host + "\r\n");
  const auto answer = client.read_to_end();
  CHECK(answer.starts_with("HTTP/1.1 "s + c.expected + " "));
  CHECK(answer.find("}HTTP/1.1 ") == std::string::npos);
  // A body that streams through may have begun; it must not look whole, nor may what follows pass.
  if (upstream.has_waiting()) {
    const auto seen = upstream.accept().read_to_end();
    CHECK(seen.find("smuggled") == std::string::npos);
    CHECK_FALSE(seen.ends_with("0\r\n\r\n"));
  }
}

TEST_CASE("RFC 9112: what is read as it says") {
  const auto c = GENERATE(
      Case{"2.2", "empty lines before the request line", "\r\n\r\n" + get("GET / HTTP/1.1"),
           "\r\n"},
      Case{"5.1", "blanks around a value", get("GET / HTTP/1.1", "X: \t 1 2 \t\r\n"),
           "X: 1 2\r\n\r\n"},
      Case{"5.1", "no blank before a value", get("GET / HTTP/1.1", "X:1\r\n"), "X: 1\r\n\r\n"},
      Case{"5", "an empty value", get("GET / HTTP/1.1", "X:\r\n"), "X: \r\n\r\n"},
      Case{"5.5", "bytes above ASCII in a value", get("GET / HTTP/1.1", "X: \xff\xc3\xa9\r\n"),
           "X: \xff\xc3\xa9\r\n\r\n"},
      Case{"6", "a body of GET", get("GET / HTTP/1.1", "Content-Length: 1\r\n") + "x",
           "Content-Length: 1\r\n\r\nx"},
      Case{"6.3", "no length and no coding: no body", post_head + "\r\n", "\r\n"},
      Case{"6.3", "zeroes before a length", post_head + "Content-Length: 0001\r\n\r\nx",
           "Content-Length: 1\r\n\r\nx"},
      Case{"6.1", "the coding's name in any case",
           post_head + "Transfer-Encoding: CHUNKED\r\n\r\n1\r\nx\r\n0\r\n\r\n",
           "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"},
      Case{"7.1", "zeroes before a size", chunked_head + "0001\r\nx\r\n000\r\n\r\n",
           "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"},
      Case{"7.1.1", "extensions are not sent on",
           chunked_head + "1;a=b;c=\"d\"\r\nx\r\n0;e\r\n\r\n",
           "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"},
      Case{"5.2", "a folded trailer is unfolded", chunked_head + "0\r\nX: 1\r\n 2\r\n\r\n",
           "Transfer-Encoding: chunked\r\n\r\n0\r\nX: 1 2\r\n\r\n"},
      Case{"7.1.2", "trailers are sent on", chunked_head + "0\r\nX: 1\r\n\r\n",
           "Transfer-Encoding: chunked\r\n\r\n0\r\nX: 1\r\n\r\n"});
  CAPTURE(c.section, c.what);
  Listener upstream;
  Proxy proxy(upstream.url());
  auto client = proxy.connect();
  client.send(c.request);
  auto served = upstream.accept();
  const auto upstream_host = "Host: " + upstream.authority() + "\r\n";
  served.read_until(upstream_host);
  CHECK(served.read_bytes(c.expected.size()) == c.expected);
  served.send(reply("ok"));
  CHECK(client.read_message() == reply("ok"));
  // Both sides agree where it ended.
  client.send(request("GET", "/next"));
  CHECK(served.read_until("\r\n") == "GET /next HTTP/1.1\r\n");
}
