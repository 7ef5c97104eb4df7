// Reads the fields of one JSON object into typed values and keeps the first fault, so that a row is
// read as a list of assignments and checked once. Belongs to one thread; the object must outlive
// it.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tare::analysis {

class Fields {
 public:
  explicit Fields(const nlohmann::json& object, std::string where = {});

  // A field that must be there. A fault gives an empty value.
  std::string text(const char* key);
  std::int64_t integer(const char* key);
  int small_integer(const char* key);
  bool boolean(const char* key);

  // null and absent mean "not measured" or "none".
  std::optional<std::string> maybe_text(const char* key);
  std::optional<std::int64_t> maybe_integer(const char* key);
  std::optional<std::uint64_t> maybe_unsigned(const char* key);
  std::optional<int> maybe_small_integer(const char* key);
  std::optional<bool> maybe_boolean(const char* key);
  std::optional<double> maybe_number(const char* key);
  std::map<std::string, double> number_map(const char* key);     // absent: empty
  std::vector<std::string> texts(const char* key);               // absent: empty
  std::vector<std::int64_t> integers(const char* key);           // absent: empty
  std::map<std::string, std::string> text_map(const char* key);  // absent: empty
  const nlohmann::json& object(const char* key);                 // absent: an empty object
  const nlohmann::json& array(const char* key);                  // absent: an empty array

  // "/field: expected a text, found 3"; empty when all was well.
  const std::string& fault() const { return fault_; }
  void blame(const std::string& fault);

 private:
  const nlohmann::json* find(const char* key) const;
  void expected(const char* key, const char* what);

  const nlohmann::json& object_;
  std::string where_;
  std::string fault_;
};

}  // namespace tare::analysis
