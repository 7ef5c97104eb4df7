// A single pass over a JSON body that yields the places of values in it, for the formats.
//
// Built on simdjson's On-Demand reader. What it gives and what it does not: the body is UTF-8, its
// strings are closed, its brackets are counted and nothing follows the root; values that are passed
// over are not looked into. Keys are compared as they are spelled, so a key written with escapes is
// none of ours. Nesting has no limit: nothing here recurses. The reader's buffers are one set a
// thread, kept for the next body.
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

  // Calls visit(key, value) for each member of a value that is an object; another has none.
  template <typename Visit>
  bool each_member_of(Value& value, Visit visit) const {
    using Type = simdjson::ondemand::json_type;
    Type type;
    if (value.type().get(type)) return false;
    if (type != Type::object) return true;
    Object object;
    return !value.get_object().get(object) && each_member(object, visit);
  }

  // The place of a string, its quotes included. False for any other value.
  bool string(Value& value, Span& span) const;

  // Sets the place of an object, its brackets included; of another value there is none. False when
  // it is broken.
  bool object(Value& value, Span& span) const;

  std::string_view text(Span span) const { return span.of(text_); }

 private:
  std::string_view text_;
};

// A member whose value is wanted as a string. What a member means that stands twice is up to
// whoever reads the body, so then there is none.
class StringMember {
 public:
  void take(const JsonWalk& walk, JsonWalk::Value& value) {
    ++times_;
    if (!walk.string(value, span_)) span_ = {};
  }
  // Empty when it does not stand there once, or is no string.
  Span span() const { return times_ == 1 ? span_ : Span{}; }
  // Whether that is the string `json_string`, quotes included, in just this spelling.
  bool is(const JsonWalk& walk, std::string_view json_string) const {
    return !span().empty() && walk.text(span_) == json_string;
  }

 private:
  int times_ = 0;
  Span span_;
};

// Calls visit for the root of `body`. False when the body is not one JSON object or array from its
// first to its last byte, or when visit says so. Not to be called from within a visit.
bool walk_root(std::string_view body,
               const std::function<bool(const JsonWalk&, JsonWalk::Value&)>& visit);

// Calls visit for each object in the array `list` of the root object, and `other` for each other
// member. False as walk_root(), and when the root is no object or has two such members.
bool walk_list(
    std::string_view body, std::string_view list,
    const std::function<bool(const JsonWalk&, JsonWalk::Object&)>& visit,
    const std::function<void(const JsonWalk&, JsonWalk::Key, JsonWalk::Value&)>& other = {});

}  // namespace tare::wire
