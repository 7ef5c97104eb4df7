// The head of a request or response as parsed, and how its body is delimited. Views point into the
// bytes it was read from.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tare::server {

struct Field {
  std::string_view name;
  std::string_view value;  // without the blanks around it, else as it came
};

struct RequestHead {
  std::string_view method;
  std::string_view target;
  int version = 11;  // 10 or 11
  std::vector<Field> fields;
};

struct ResponseHead {
  unsigned status = 0;
  std::string_view reason;
  int version = 11;
  std::vector<Field> fields;
};

struct Framing {
  enum class Kind {
    none,         // no body, and no word of one
    length,       // Content-Length
    chunked,      // Transfer-Encoding: chunked
    until_close,  // the end of the connection is the end of the body
  };
  Kind kind = Kind::none;
  std::uint64_t length_bytes = 0;
};

// Field names and tokens are compared without regard to case (ASCII only).
bool equal_names(std::string_view a, std::string_view b);

// Calls visit(token) for each element of a comma-separated list, blanks trimmed, empty ones left
// out.
template <typename Visit>
void for_each_token(std::string_view list, Visit visit) {
  while (!list.empty()) {
    const auto comma = list.find(',');
    std::string_view token = list.substr(0, comma);
    list = comma == std::string_view::npos ? std::string_view{} : list.substr(comma + 1);
    const auto first = token.find_first_not_of(" \t");
    if (first == std::string_view::npos) continue;
    visit(token.substr(first, token.find_last_not_of(" \t") - first + 1));
  }
}

}  // namespace tare::server
