// A single pass over a JSON body that yields the places of strings in it, for the formats.
//
// Built on simdjson's On-Demand reader. What it gives and what it does not: the body is UTF-8, its
// strings are closed, its brackets are counted and nothing follows the root object; values that are
// passed over are not looked into. Keys are compared as they are spelled, so a key written with
// escapes is none of ours. Nesting has no limit: nothing here recurses. The reader's buffers are
// one set a thread, kept for the next body.
#pragma once

#include <simdjson.h>

#include <functional>
#include <string_view>

#include "proxy/wire/format.h"

namespace tare::wire {

class JsonWalk {
 public:
  using Object = simdjson::ondemand::object;
  using Value = simdjson::ondemand::value;
  using Key = simdjson::ondemand::raw_json_string;

  explicit JsonWalk(std::string_view text) : text_(text) {}

  // Calls visit(key, value) for each member. False when the object is broken or a visit says so.
  template <typename Visit>
  bool each_member(Object& object, Visit visit) const {
    for (auto member : object) {
      Key key;
      Value value;
      if (member.key().get(key) || member.value().get(value)) return false;
      if (!visit(key, value)) return false;
    }
    return true;
  }

  // Calls visit(object) for each element that is an object; a value that is no array has none.
  template <typename Visit>
  bool each_object(Value& value, Visit visit) const {
    using Type = simdjson::ondemand::json_type;
    Type type;
    if (value.type().get(type)) return false;
    if (type != Type::array) return true;
    simdjson::ondemand::array array;
    if (value.get_array().get(array)) return false;
    for (auto element : array) {
      if (element.type().get(type)) return false;
      if (type != Type::object) continue;
      Object object;
      if (element.get_object().get(object) || !visit(object)) return false;
    }
    return true;
  }

  // The place of a string, its quotes included. False for any other value.
  bool string(Value& value, Span& span) const;

  std::string_view text(Span span) const { return text_.substr(span.begin, span.end - span.begin); }

 private:
  std::string_view text_;
};

// Calls visit for the root object of `body`. False when the body is not one JSON object from its
// first to its last byte, or when visit says so. Not to be called from within a visit.
bool walk_object(std::string_view body,
                 const std::function<bool(const JsonWalk&, JsonWalk::Object&)>& visit);

}  // namespace tare::wire
