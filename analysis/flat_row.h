// The fields of a JSON object of the plainest kind, found without building it: the largest raw
// files are read with this. Anything that is not plain (a list, an object, an escape, a letter
// beyond ASCII, a number that is not a small whole one, a key twice) is refused, and the caller
// reads that row as JSON; so what is taken is what any reader would take. Belongs to one thread;
// the text must outlive it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tare::analysis {

class FlatRow {
 public:
  // False when the text is not such an object.
  bool parse(std::string_view text);

  // Each returns false when the field is of another type, or (without "maybe") not there.
  bool text(std::string_view key, std::string_view& value);
  bool integer(std::string_view key, std::int64_t& value);
  bool maybe_text(std::string_view key, std::optional<std::string_view>& value);
  bool maybe_integer(std::string_view key, std::optional<std::int64_t>& value);
  bool maybe_boolean(std::string_view key, std::optional<bool>& value);

 private:
  enum class Kind { text, integer, boolean, null };
  struct Field {
    std::string_view key;
    std::string_view text;
    std::int64_t integer = 0;  // of a boolean: 0 or 1
    Kind kind = Kind::null;
  };
  static constexpr std::size_t most_fields = 48;

  bool add(std::string_view key);
  bool value(Field& field);
  bool string(std::string_view& value);
  bool number(std::int64_t& value);
  bool word(std::string_view expected);
  bool skip(char expected);
  const Field* find(std::string_view key);

  std::string_view rest_;
  std::array<Field, most_fields> fields_;
  std::size_t count_ = 0;
  std::size_t next_ = 0;  // where the next asked field most likely stands
};

}  // namespace tare::analysis
