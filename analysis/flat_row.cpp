#include "analysis/flat_row.h"

namespace tare::analysis {

bool FlatRow::skip(char expected) {
  if (rest_.empty() || rest_.front() != expected) return false;
  rest_.remove_prefix(1);
  return true;
}

bool FlatRow::word(std::string_view expected) {
  if (!rest_.starts_with(expected)) return false;
  rest_.remove_prefix(expected.size());
  return true;
}

bool FlatRow::string(std::string_view& value) {
  if (!skip('"')) return false;
  std::size_t at = 0;
  while (at < rest_.size() && rest_[at] != '"') {
    const auto byte = static_cast<unsigned char>(rest_[at]);
    if (byte < 0x20 || byte >= 0x7f || byte == '\\') return false;
    ++at;
  }
  if (at == rest_.size()) return false;
  value = rest_.substr(0, at);
  rest_.remove_prefix(at + 1);
  return true;
}

bool FlatRow::number(std::int64_t& value) {
  constexpr std::size_t most_digits = 18;
  const bool negative = skip('-');
  std::size_t digits = 0;
  value = 0;
  while (digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9') {
    if (digits == most_digits) return false;
    value = value * 10 + (rest_[digits++] - '0');
  }
  if (digits == 0 || (digits > 1 && rest_.front() == '0')) return false;
  rest_.remove_prefix(digits);
  if (negative) value = -value;
  // A fraction or an exponent follows: not a whole number as this takes it.
  return rest_.starts_with(',') || rest_.starts_with('}');
}

bool FlatRow::value(Field& field) {
  if (rest_.empty()) return false;
  switch (rest_.front()) {
    case '"':
      field.kind = Kind::text;
      return string(field.text);
    case 'n':
      field.kind = Kind::null;
      return word("null");
    case 't':
      field.kind = Kind::boolean;
      field.integer = 1;
      return word("true");
    case 'f':
      field.kind = Kind::boolean;
      field.integer = 0;
      return word("false");
    default:
      field.kind = Kind::integer;
      return number(field.integer);
  }
}

bool FlatRow::add(std::string_view key) {
  if (count_ == most_fields) return false;
  for (std::size_t i = 0; i < count_; ++i) {
    if (fields_[i].key == key) return false;
  }
  Field& field = fields_[count_++];
  field.key = key;
  return value(field);
}

bool FlatRow::parse(std::string_view text) {
  rest_ = text;
  count_ = 0;
  next_ = 0;
  if (!skip('{')) return false;
  if (skip('}')) return rest_.empty();
  do {
    std::string_view key;
    if (!string(key) || !skip(':') || !add(key)) return false;
  } while (skip(','));
  return skip('}') && rest_.empty();
}

const FlatRow::Field* FlatRow::find(std::string_view key) {
  for (std::size_t i = 0; i < count_; ++i) {
    const std::size_t at = (next_ + i) % count_;
    if (fields_[at].key != key) continue;
    next_ = at + 1;
    return &fields_[at];
  }
  return nullptr;
}

bool FlatRow::text(std::string_view key, std::string_view& value) {
  const Field* field = find(key);
  if (field == nullptr || field->kind != Kind::text) return false;
  value = field->text;
  return true;
}

bool FlatRow::integer(std::string_view key, std::int64_t& value) {
  const Field* field = find(key);
  if (field == nullptr || field->kind != Kind::integer) return false;
  value = field->integer;
  return true;
}

bool FlatRow::maybe_text(std::string_view key, std::optional<std::string_view>& value) {
  value.reset();
  const Field* field = find(key);
  if (field == nullptr || field->kind == Kind::null) return true;
  if (field->kind == Kind::text) value = field->text;
  return value.has_value();
}

bool FlatRow::maybe_integer(std::string_view key, std::optional<std::int64_t>& value) {
  value.reset();
  const Field* field = find(key);
  if (field == nullptr || field->kind == Kind::null) return true;
  if (field->kind == Kind::integer) value = field->integer;
  return value.has_value();
}

bool FlatRow::maybe_boolean(std::string_view key, std::optional<bool>& value) {
  value.reset();
  const Field* field = find(key);
  if (field == nullptr || field->kind == Kind::null) return true;
  if (field->kind == Kind::boolean) value = field->integer != 0;
  return value.has_value();
}

}  // namespace tare::analysis
