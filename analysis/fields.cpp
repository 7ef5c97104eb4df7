#include "analysis/fields.h"

#include <limits>

namespace tare::analysis {
namespace {

using nlohmann::json;

// What was found, short enough for one line.
std::string found(const json* value) {
  if (value == nullptr) return "nothing";
  if (value->is_structured()) return value->is_array() ? "an array" : "an object";
  std::string text = value->dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() > 40) text = text.substr(0, 37) + "...";
  return text;
}

const json& empty_object() {
  static const json value = json::object();
  return value;
}

const json& empty_array() {
  static const json value = json::array();
  return value;
}

}  // namespace

Fields::Fields(const json& object, std::string where) : object_(object), where_(std::move(where)) {
  if (!object.is_object()) blame(where_ + ": expected an object, found " + found(&object));
}

void Fields::blame(const std::string& fault) {
  if (fault_.empty()) fault_ = fault;
}

const json* Fields::find(const char* key) const {
  if (!object_.is_object()) return nullptr;
  const auto at = object_.find(key);
  return at == object_.end() || at->is_null() ? nullptr : &*at;
}

void Fields::expected(const char* key, const char* what) {
  blame(where_ + "/" + key + ": expected " + what + ", found " + found(find(key)));
}

std::optional<std::string> Fields::maybe_text(const char* key) {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_string()) return value->get<std::string>();
  expected(key, "a text");
  return std::nullopt;
}

std::optional<std::int64_t> Fields::maybe_integer(const char* key) {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  const bool fits = value->is_number_integer() &&
                    (!value->is_number_unsigned() ||
                     value->get<std::uint64_t>() <=
                         static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
  if (fits) return value->get<std::int64_t>();
  expected(key, "a whole number");
  return std::nullopt;
}

std::optional<std::uint64_t> Fields::maybe_unsigned(const char* key) {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_number_unsigned()) return value->get<std::uint64_t>();
  expected(key, "a whole number from 0 on");
  return std::nullopt;
}

std::optional<int> Fields::maybe_small_integer(const char* key) {
  const auto value = maybe_integer(key);
  if (!value) return std::nullopt;
  if (*value >= 0 && *value <= std::numeric_limits<int>::max()) return static_cast<int>(*value);
  expected(key, "a count");
  return std::nullopt;
}

std::optional<bool> Fields::maybe_boolean(const char* key) {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_boolean()) return value->get<bool>();
  expected(key, "true or false");
  return std::nullopt;
}

std::optional<double> Fields::maybe_number(const char* key) {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_number()) return value->get<double>();
  expected(key, "a number");
  return std::nullopt;
}

std::map<std::string, double> Fields::number_map(const char* key) {
  std::map<std::string, double> all;
  for (const auto& [name, value] : object(key).items()) {
    if (value.is_number()) {
      all[name] = value.get<double>();
    } else {
      expected(key, "numbers only");
    }
  }
  return all;
}

std::string Fields::text(const char* key) {
  if (find(key) == nullptr) expected(key, "a text");
  return maybe_text(key).value_or("");
}

std::int64_t Fields::integer(const char* key) {
  if (find(key) == nullptr) expected(key, "a whole number");
  return maybe_integer(key).value_or(0);
}

int Fields::small_integer(const char* key) {
  if (find(key) == nullptr) expected(key, "a count");
  return maybe_small_integer(key).value_or(0);
}

bool Fields::boolean(const char* key) {
  if (find(key) == nullptr) expected(key, "true or false");
  return maybe_boolean(key).value_or(false);
}

std::vector<std::string> Fields::texts(const char* key) {
  std::vector<std::string> all;
  for (const auto& item : array(key)) {
    if (item.is_string()) {
      all.push_back(item.get<std::string>());
    } else {
      expected(key, "texts only");
    }
  }
  return all;
}

std::vector<std::int64_t> Fields::integers(const char* key) {
  std::vector<std::int64_t> all;
  for (const auto& item : array(key)) {
    if (item.is_number_integer()) {
      all.push_back(item.get<std::int64_t>());
    } else {
      expected(key, "whole numbers only");
    }
  }
  return all;
}

std::map<std::string, std::string> Fields::text_map(const char* key) {
  std::map<std::string, std::string> all;
  for (const auto& [name, value] : object(key).items()) {
    all[name] = value.is_string() ? value.get<std::string>() : found(&value);
  }
  return all;
}

const json& Fields::object(const char* key) {
  const json* value = find(key);
  if (value == nullptr) return empty_object();
  if (value->is_object()) return *value;
  expected(key, "an object");
  return empty_object();
}

const json& Fields::array(const char* key) {
  const json* value = find(key);
  if (value == nullptr) return empty_array();
  if (value->is_array()) return *value;
  expected(key, "an array");
  return empty_array();
}

}  // namespace tare::analysis
