#include "proxy/server/header_policy.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace std::string_literals;
using namespace tare::server;

namespace {

HeadScan scan(std::string_view bytes) {
  std::size_t resume_at = 0;
  return scan_head(bytes, resume_at);
}

RequestHead request(std::vector<Field> fields) {
  return {"POST", "/v1/responses", 11, std::move(fields)};
}

// The status a head is refused with, 0 when it may be forwarded.
unsigned refused(const RequestHead& head) {
  const auto refusal = refuse_request(head);
  if (refusal) CHECK_FALSE(refusal->reason.empty());
  return refusal ? refusal->status : 0;
}

}  // namespace

TEST_CASE("a head is complete at its empty line, and what follows is not looked at") {
  const auto head = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"s;
  const auto found = scan(head + "\n\0 body"s);
  CHECK(found.state == HeadScan::State::complete);
  CHECK(found.length_bytes == head.size());
}

TEST_CASE("a head that arrives byte by byte is found at its last byte") {
  const auto head = "GET / HTTP/1.1\r\nHost: a\r\nX: \xc3\xa9\r\n\r\n"s;
  std::size_t resume_at = 0;
  for (std::size_t size = 0; size < head.size(); ++size) {
    CHECK(scan_head(std::string_view(head).substr(0, size), resume_at).state ==
          HeadScan::State::incomplete);
  }
  CHECK(scan_head(head, resume_at).state == HeadScan::State::complete);
}

TEST_CASE("lines that two parsers could read differently are malformed") {
  const auto bad = GENERATE(as<std::string>(),                             //
                            "GET / HTTP/1.1\nHost: a\r\n\r\n",             // bare LF
                            "GET / HTTP/1.1\r\nHost: a\n\r\n",             // bare LF in a field
                            "GET / HTTP/1.1\r\nHost: a\r\n\n",             // bare LF at the end
                            "GET / HTTP/1.1\r\nX: a\rb\r\n\r\n",           // bare CR
                            "GET / HTTP/1.1\r\nX: a\r\r\n\r\n",            // CR before CR LF
                            "GET / HTTP/1.1\r\nX: a\r\n folded\r\n\r\n",   // obs-fold
                            "GET / HTTP/1.1\r\nX: a\r\n\tfolded\r\n\r\n",  // obs-fold
                            "GET / HTTP/1.1\r\n Host: a\r\n\r\n",  // blank before the first field
                            "GET / HTTP/1.1\r\nX: a\0b\r\n\r\n"s,  // NUL in a value
                            "GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n"s);  // NUL in the target
  CAPTURE(bad);
  const auto found = scan(bad);
  CHECK(found.state == HeadScan::State::malformed);
  CHECK_FALSE(found.fault.empty());
}

TEST_CASE("an ordinary request may be forwarded") {
  CHECK(refused(request({{"Host", "localhost:8787"}})) == 0);
  CHECK(refused(request({{"host", "127.0.0.1"}, {"Content-Length", "0"}})) == 0);
  CHECK(refused(request({{"HOST", "[::1]:80"}, {"Transfer-Encoding", "Chunked"}})) == 0);
  CHECK(refused(request({{"Host", ""}, {"Expect", "100-Continue"}})) == 0);
  CHECK(refused(request(
            {{"Host", "a"}, {"X", "1"}, {"X", "1"}, {"X", std::string_view("\xff\t", 2)}})) == 0);
  CHECK(refused({"OPTIONS", "*", 11, {{"Host", "a"}}}) == 0);
  CHECK(refused({"BREW", "/a//b?c=//d", 11, {{"Host", "a"}}}) == 0);
  CHECK(refused({"GET", "/", 10, {}}) == 0);
}

TEST_CASE("a target that could choose another server is refused") {
  for (const auto* target : {"http://other/", "HTTP://other", "//other/", "///", "/a\\b",
                             "\\\\other\\", "*", "", "other:443", "/a#b", "a"}) {
    CAPTURE(target);
    CHECK(refused({"GET", target, 11, {{"Host", "a"}}}) == 400);
  }
  CHECK(refused({"CONNECT", "other:443", 11, {{"Host", "a"}}}) == 501);
}

TEST_CASE("Host must be there once and be a host") {
  CHECK(refused(request({})) == 400);
  CHECK(refused(request({{"Host", "a"}, {"Host", "a"}})) == 400);
  CHECK(refused(request({{"Host", "a"}, {"hOST", "b"}})) == 400);
  CHECK(refused({"GET", "/", 10, {{"Host", "a"}, {"Host", "a"}}}) == 400);
  for (const auto* host : {"a, b", "a b", "user@a", "a/b", "a\\b", "a?b", "\"a\""}) {
    CAPTURE(host);
    CHECK(refused(request({{"Host", host}})) == 400);
  }
}

TEST_CASE("a length must be there once and be a number") {
  const auto with = [](std::vector<Field> fields) {
    fields.push_back({"Host", "a"});
    return refused(request(std::move(fields)));
  };
  CHECK(with({{"Content-Length", "5"}, {"Content-Length", "5"}}) == 400);
  CHECK(with({{"Content-Length", "5"}, {"content-length", "6"}}) == 400);
  for (const auto* length :
       {"", "5, 5", "+5", "-1", "0x10", "5 5", "1e3", "99999999999999999999"}) {
    CAPTURE(length);
    CHECK(with({{"Content-Length", length}}) == 400);
  }
}

TEST_CASE("a transfer coding must be chunked, alone, and not beside a length") {
  const auto with = [](std::vector<Field> fields) {
    fields.push_back({"Host", "a"});
    return refused(request(std::move(fields)));
  };
  CHECK(with({{"Transfer-Encoding", "chunked"}, {"Content-Length", "5"}}) == 400);
  CHECK(with({{"Content-Length", "5"}, {"Transfer-Encoding", "gzip"}}) == 400);
  CHECK(with({{"Transfer-Encoding", "chunked, chunked"}}) == 400);
  CHECK(with({{"Transfer-Encoding", "chunked"}, {"Transfer-Encoding", "chunked"}}) == 400);
  CHECK(with({{"Transfer-Encoding", "chunked, gzip"}}) == 400);
  CHECK(with({{"Transfer-Encoding", "identity"}}) == 400);
  CHECK(with({{"Transfer-Encoding", "xchunked"}}) == 400);
  CHECK(with({{"Transfer-Encoding", ""}}) == 400);
  CHECK(with({{"Transfer-Encoding", "gzip, chunked"}}) == 501);
  CHECK(with({{"Transfer-Encoding", "gzip"}, {"Transfer-Encoding", "chunked"}}) == 501);
  CHECK(refused({"POST", "/", 10, {{"Transfer-Encoding", "chunked"}}}) == 400);
}

TEST_CASE("unknown expectations and endless Connection lists are refused") {
  CHECK(refused(request({{"Host", "a"}, {"Expect", "200-ok"}})) == 417);
  std::string many;
  for (int i = 0; i < 100; ++i) many += "x" + std::to_string(i) + ",";
  CHECK(refused(request({{"Host", "a"}, {"Connection", many}})) == 400);
}

TEST_CASE("a response's framing that cannot be passed on is a fault") {
  CHECK_FALSE(response_fault({200, "OK", 11, {{"Transfer-Encoding", "CHUNKED"}}}, false));
  CHECK_FALSE(response_fault({204, "", 11, {}}, false));
  CHECK(response_fault({200, "OK", 11, {{"Transfer-Encoding", "gzip, chunked"}}}, false));
  CHECK(response_fault({200, "OK", 11, {{"Transfer-Encoding", "gzip"}}}, false));
  CHECK(response_fault({101, "Switching Protocols", 11, {}}, false));
}
