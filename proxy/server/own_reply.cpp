#include "proxy/server/own_reply.h"

#include <fmt/format.h>

#include "proxy/server/quoted.h"

namespace tare::server {

namespace {

std::string_view reason_of(unsigned status) {
  switch (status) {
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 417:
      return "Expectation Failed";
    case 431:
      return "Request Header Fields Too Large";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Error";
  }
}

}  // namespace

std::string_view error_type(unsigned status) {
  if (status == 401) return "authentication_error";
  if (status == 403) return "permission_error";
  return "invalid_request_error";
}

std::string write_reply(const OwnReply& reply, bool close, bool body) {
  const std::string json =
      fmt::format(R"({{"error":{{"message":{},"type":{},"param":null,"code":{}}}}})",
                  quoted(reply.message), quoted(reply.type), quoted(reply.code));
  return fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{}\r\n{}",
      reply.status, reason_of(reply.status), json.size(), close ? "Connection: close\r\n" : "",
      body ? json : "");
}

}  // namespace tare::server
