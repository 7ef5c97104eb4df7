// A text of ours as a JSON string or a logfmt value; control characters become blanks.
#pragma once

#include <string>
#include <string_view>

namespace tare::server {

inline std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out.push_back('\\');
    out.push_back(static_cast<unsigned char>(c) < 0x20 ? ' ' : c);
  }
  return out += '"';
}

}  // namespace tare::server
