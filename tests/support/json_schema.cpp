#include "tests/support/json_schema.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <regex>
#include <set>

#include "common/files.h"

namespace tare::test {
namespace {

bool has_type(const Json& document, const std::string& type) {
  if (type == "integer") return document.is_number_integer();
  if (type == "number") return document.is_number();
  return type == document.type_name();
}

bool takes_keyword(const std::string& keyword, const Json& value, const Json& schema,
                   const Json& document, const Json& root) {
  const auto takes_this = [&](const Json& other) { return takes(other, document, root); };
  if (keyword == "$ref") {
    return takes_this(root.at(Json::json_pointer(value.get<std::string>().substr(1))));
  }
  if (keyword == "type") return has_type(document, value);
  if (keyword == "const") return document == value;
  if (keyword == "enum") return std::ranges::find(value, document) != value.end();
  if (keyword == "anyOf") return std::ranges::any_of(value, takes_this);
  if (keyword == "oneOf") return std::ranges::count_if(value, takes_this) == 1;
  if (keyword == "if") {
    const auto* branch = takes_this(value) ? "then" : "else";
    return !schema.contains(branch) || takes_this(schema[branch]);
  }
  if (keyword == "minimum") return !document.is_number() || document >= value;
  if (keyword == "maximum") return !document.is_number() || document <= value;
  if (keyword == "minLength") {
    return !document.is_string() || document.get<std::string>().size() >= value.get<std::size_t>();
  }
  if (keyword == "pattern") {
    return !document.is_string() ||
           std::regex_search(document.get<std::string>(), std::regex(value.get<std::string>()));
  }
  if (keyword == "minItems")
    return !document.is_array() || document.size() >= value.get<std::size_t>();
  if (keyword == "uniqueItems") {
    return !document.is_array() ||
           std::set<Json>(document.begin(), document.end()).size() == document.size();
  }
  if (keyword == "items") {
    return !document.is_array() || std::ranges::all_of(document, [&](const Json& item) {
      return takes(value, item, root);
    });
  }
  if (!document.is_object()) return true;
  if (keyword == "required") {
    return std::ranges::all_of(value, [&](const Json& key) { return document.contains(key); });
  }
  for (const auto& [key, item] : document.items()) {
    const bool listed = schema.contains("properties") && schema["properties"].contains(key);
    if (keyword == "properties" && listed && !takes(value[key], item, root)) return false;
    if (keyword == "additionalProperties" && !listed && !takes(value, item, root)) return false;
    if (keyword == "propertyNames" && !takes(value, Json(key), root)) return false;
  }
  return true;
}

const std::set<std::string> known_keywords{"$ref",
                                           "type",
                                           "const",
                                           "enum",
                                           "anyOf",
                                           "oneOf",
                                           "if",
                                           "minimum",
                                           "maximum",
                                           "pattern",
                                           "minLength",
                                           "minItems",
                                           "items",
                                           "required",
                                           "uniqueItems",
                                           "properties",
                                           "additionalProperties",
                                           "propertyNames"};
const std::set<std::string> notes{"$schema", "$defs", "title", "description", "then", "else"};

}  // namespace

Json schema(const std::string& name) {
  const auto text = read_file(std::filesystem::path(TARE_SOURCE_DIR) / "data" / "schemas" /
                              (name + ".schema.json"));
  REQUIRE(text);
  return Json::parse(*text);
}

bool takes(const Json& schema, const Json& document, const Json& root) {
  if (schema.is_boolean()) return schema.get<bool>();
  for (const auto& [keyword, value] : schema.items()) {
    if (notes.contains(keyword)) continue;
    INFO("keyword " << keyword);
    REQUIRE(known_keywords.contains(keyword));
    if (!takes_keyword(keyword, value, schema, document, root)) return false;
  }
  return true;
}

void for_each_damage(const Json& document,
                     const std::function<void(const Json&, const std::string&)>& check) {
  const Json others = Json::parse(
      R"([null, true, false, -1, 0, 1, 1.5, 1000000000, "", "zzz", "a b", "{nowhere}/x", "/x", [], ["zzz"], {}, {"zzz": 1}, {"a b": "x"}])");
  const auto flat = document.flatten();
  std::set<std::string> pointers;
  for (const auto& [leaf, value] : flat.items()) {
    // Each leaf and everything above it.
    for (auto p = Json::json_pointer(leaf);; p = p.parent_pointer()) {
      pointers.insert(p.to_string());
      if (p.empty()) break;
    }
  }
  for (const auto& pointer : pointers) {
    const Json::json_pointer place(pointer);
    for (const auto& other : others) {
      auto damaged = document;
      damaged[place] = other;
      if (damaged != document) check(damaged, pointer);
    }
    if (document[place].is_object()) {
      auto damaged = document;
      damaged[place]["zzz"] = "zzz";
      check(damaged, pointer);
    }
    if (place.empty()) continue;
    auto damaged = document;
    auto& parent = damaged[place.parent_pointer()];
    if (parent.is_object()) {
      parent.erase(place.back());
    } else {
      parent.erase(std::stoul(place.back()));
    }
    check(damaged, place.parent_pointer().to_string());
  }
}

}  // namespace tare::test
