// Reads JSON files into structs and reports every fault at once, each with its JSON pointer.
//
// A field is read by a parser: a callable (const Json& value, const Place& place) that returns the
// value, or adds faults to place.faults and returns something harmless. The parsers here cover
// text, numbers, choices, lists and maps; a caller adds its own for its objects. Used by one
// thread.
//
//   Faults faults("arms/x/arm.json");
//   Fields fields(document, {"", faults});
//   auto title = fields.required("title", text());
//   auto notes = fields.optional("notes", list_of(text()), {});
//   fields.end();  // any other key is a fault
//   if (!faults.none()) return fail(faults.error("see docs/adding-an-arm.md"));
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/error.h"

namespace tare::harness {

using Json = nlohmann::json;

class Faults {
 public:
  explicit Faults(std::string file) : file_(std::move(file)) {}
  void add(const std::string& pointer, std::string_view what);
  bool none() const { return lines_.empty(); }
  // An invalid error whose message has a line a fault: "FILE: POINTER: WHAT".
  Error error(std::string remedy) const;

 private:
  std::string file_;
  std::vector<std::string> lines_;
};

// Where a value stands in its document.
struct Place {
  std::string pointer;  // RFC 6901; empty: the document itself
  Faults& faults;

  Place at(std::string_view key) const;
  Place at(std::size_t index) const;
  void fault(std::string_view what) const { faults.add(pointer, what); }
  // "expected WHAT, found VALUE"
  void expected(std::string_view what, const Json& found) const;
};

// The document in `text`, or an error with the line and column where it stops being JSON. A field
// that stands twice in one object is an error: nobody can tell which was meant. One that is nested
// deeper than any of ours is refused: printing it could exhaust the stack.
Result<Json> parse_json(std::string_view text, std::string_view source);
Result<Json> parse_json_file(const std::filesystem::path& file);

// The fields of one object. Faults on a value that is no object: one, and every field is then
// silently harmless.
class Fields {
 public:
  Fields(const Json& value, Place place) : place_(std::move(place)) {
    if (value.is_object()) {
      object_ = &value;
    } else {
      place_.expected("an object", value);
    }
  }

  bool has(const char* key) const { return object_ != nullptr && object_->contains(key); }

  template <typename Parse>
  using Value = std::invoke_result_t<const Parse&, const Json&, const Place&>;

  template <typename Parse>
  Value<Parse> required(const char* key, const Parse& parse) {
    if (object_ != nullptr && !has(key)) place_.at(key).fault("required, but missing");
    return optional(key, parse, {});
  }

  template <typename Parse>
  Value<Parse> optional(const char* key, const Parse& parse, Value<Parse> otherwise) {
    known_.insert(key);
    return has(key) ? parse((*object_)[key], place_.at(key)) : std::move(otherwise);
  }

  // Every key that was not asked for is a fault.
  void end() const {
    if (object_ == nullptr) return;
    for (const auto& [key, value] : object_->items()) {
      if (!known_.contains(key)) place_.at(key).fault("unknown field");
    }
  }

 private:
  const Json* object_ = nullptr;
  Place place_;
  std::set<std::string, std::less<>> known_;
};

inline auto boolean() {
  return [](const Json& value, const Place& place) {
    if (!value.is_boolean()) place.expected("true or false", value);
    return value.is_boolean() && value.get<bool>();
  };
}

// A text of at least one byte that `fault_of` has nothing to say against; it returns "" or what was
// expected.
inline auto text(std::function<std::string(const std::string&)> fault_of = {}) {
  return [fault_of = std::move(fault_of)](const Json& value, const Place& place) -> std::string {
    if (!value.is_string()) {
      place.expected("a text", value);
      return {};
    }
    auto result = value.get<std::string>();
    const auto what = result.empty() ? "a text that is not empty"
                      : fault_of     ? fault_of(result)
                                     : std::string();
    if (!what.empty()) place.expected(what, value);
    return result;
  };
}

template <typename Integer>
auto integer(Integer least, Integer most = std::numeric_limits<Integer>::max()) {
  return [least, most](const Json& value, const Place& place) -> Integer {
    const auto within = [&](auto number) {
      return std::cmp_greater_equal(number, least) && std::cmp_less_equal(number, most);
    };
    const bool fits = value.is_number_unsigned()
                          ? within(value.get<std::uint64_t>())
                          : value.is_number_integer() && within(value.get<std::int64_t>());
    if (fits) return value.get<Integer>();
    place.expected(most == std::numeric_limits<Integer>::max()
                       ? fmt::format("a whole number from {}", least)
                       : fmt::format("a whole number from {} to {}", least, most),
                   value);
    return least;
  };
}

inline auto number_from_zero() {
  return [](const Json& value, const Place& place) {
    if (value.is_number() && value.get<double>() >= 0) return value.get<double>();
    place.expected("a number from 0", value);
    return 0.0;
  };
}

template <typename T>
auto one_of(std::vector<std::pair<std::string, T>> choices) {
  return [choices = std::move(choices)](const Json& value, const Place& place) -> T {
    std::vector<std::string> names;
    for (const auto& [name, result] : choices) {
      if (value == name) return result;
      names.push_back('"' + name + '"');
    }
    place.expected(fmt::format("one of {}", fmt::join(names, ", ")), value);
    return choices.front().second;
  };
}

template <typename Parse>
auto list_of(Parse parse, std::size_t least = 0) {
  return [parse = std::move(parse), least](const Json& value, const Place& place) {
    std::vector<Fields::Value<Parse>> result;
    if (!value.is_array() || value.size() < least) {
      place.expected(least == 0 ? "a list" : fmt::format("a list of at least {}", least), value);
      return result;
    }
    for (std::size_t i = 0; i < value.size(); ++i) result.push_back(parse(value[i], place.at(i)));
    return result;
  };
}

// An object whose keys are free; `fault_of_key` returns "" or what was expected of a key.
template <typename Parse>
auto map_of(Parse parse, std::function<std::string(const std::string&)> fault_of_key = {}) {
  return [parse = std::move(parse), fault_of_key = std::move(fault_of_key)](const Json& value,
                                                                            const Place& place) {
    std::map<std::string, Fields::Value<Parse>> result;
    if (!value.is_object()) {
      place.expected("an object", value);
      return result;
    }
    for (const auto& [key, item] : value.items()) {
      const auto what = fault_of_key ? fault_of_key(key) : std::string();
      if (!what.empty()) place.at(key).fault("expected " + what + " as the name of a field");
      result.emplace(key, parse(item, place.at(key)));
    }
    return result;
  };
}

template <typename Parse>
auto nullable(Parse parse) {
  return [parse = std::move(parse)](const Json& value, const Place& place) {
    std::optional<Fields::Value<Parse>> result;
    if (!value.is_null()) result = parse(value, place);
    return result;
  };
}

}  // namespace tare::harness
