// JSON strings as bytes and back, in the client's own spelling.
//
// The text of a string is UTF-8, except that a surrogate escape without its partner, which JSON
// allows and UTF-8 does not, is kept as the three bytes its code point would have (WTF-8): two
// strings have the same text exactly when they have the same code units.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tare::wire {

// The two usual ways to write a string. Both escape quote, backslash and control characters, by
// the short escapes \b \t \n \f \r where there is one, else by \u00xx in lower case.
enum class Spelling {
  shortest,  // all else stands for itself
  ascii,     // all else from U+007F on is escaped
};

struct JsonText {
  std::string text;
  Spelling spelling = Spelling::shortest;  // the usual spelling that is nearest
};

// Of a whole JSON string, quotes included, that a JSON reader has delimited. Nothing when an
// escape is not one of JSON's.
std::optional<JsonText> decode(std::string_view json_string);

// The whole JSON string, quotes included. Nothing when the text is not UTF-8 (WTF-8).
std::optional<std::string> encode(std::string_view text, Spelling spelling);

}  // namespace tare::wire
