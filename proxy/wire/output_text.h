// One string of a tool output, decoded: the text of the tool, or several in a JSON envelope; and
// the way back into a JSON string once some of them have been replaced.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/wire/format.h"
#include "proxy/wire/json_string.h"

namespace tare::wire {

class OutputText {
 public:
  // Of a whole JSON string, quotes included. Nothing when an escape is not one of JSON's.
  static std::optional<OutputText> read(std::string_view json_string);

  std::size_t size() const { return is_plain() ? 1 : inner_.size(); }
  const std::string& text(std::size_t index) const {
    return is_plain() ? whole_.text : inner_[index].decoded.text;
  }
  // The text, when it is the only one.
  std::string take_text() && {
    return std::move(is_plain() ? whole_.text : inner_.front().decoded.text);
  }

  // The JSON string with the texts that have a replacement replaced, in the spelling that it had
  // (the nearest usual one; its first character is escaped where nothing else would show it).
  // Nothing when a reader of it would not find exactly these texts. `replacements` has size()
  // members.
  std::optional<std::string> with(
      const std::vector<std::optional<std::string>>& replacements) const;

 private:
  struct Inner {
    Span span;  // in whole_.text
    JsonText decoded;
  };

  bool is_plain() const { return inner_.empty(); }

  JsonText whole_;
  std::vector<Inner> inner_;
};

}  // namespace tare::wire
