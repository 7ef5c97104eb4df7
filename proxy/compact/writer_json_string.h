// A long text inside a string of a JSON document, as programs return it that answer in JSON.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace tare::compact {

struct JsonString {
  std::string_view before;  // of the document, up to and with the opening quote
  std::string inside;       // what the string says
  std::string_view after;   // from the closing quote on
};

// The string that makes up most of `text`, when there is one, it holds lines or JSON, and it is
// written with the shortest escapes, so that what it says is enough to write it again.
std::optional<JsonString> find_long_string(std::string_view text, const std::stop_token& stop);

}  // namespace tare::compact
