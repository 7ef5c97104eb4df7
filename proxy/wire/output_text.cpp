#include "proxy/wire/output_text.h"

#include <utility>

#include "proxy/wire/envelope.h"
#include "proxy/wire/splice.h"

namespace tare::wire {
namespace {

// The text as a JSON string, when a reader of it would find exactly this text.
std::optional<std::string> encode_checked(std::string_view text, Spelling spelling) {
  auto json_string = encode(text, spelling);
  if (!json_string) return std::nullopt;
  const auto read_back = decode(*json_string);
  if (!read_back || read_back->text != text) return std::nullopt;
  return json_string;
}

}  // namespace

std::optional<OutputText> OutputText::read(std::string_view json_string) {
  OutputText result;
  auto whole = decode(json_string);
  if (!whole) return std::nullopt;
  result.whole_ = std::move(*whole);
  for (const Span span : envelope_strings(result.whole_.text)) {
    auto decoded = decode(span.of(result.whole_.text));
    if (!decoded) {  // not JSON after all
      result.inner_.clear();
      break;
    }
    result.inner_.push_back({span, std::move(*decoded)});
  }
  return result;
}

std::optional<std::string> OutputText::with(
    const std::vector<std::optional<std::string>>& replacements) const {
  if (is_plain()) {
    return encode_checked(replacements[0] ? *replacements[0] : whole_.text, whole_.spelling);
  }
  std::vector<std::string> json_strings(inner_.size());
  std::vector<Change> changes;
  for (std::size_t i = 0; i < inner_.size(); ++i) {
    if (!replacements[i]) continue;
    auto json_string = encode_checked(*replacements[i], inner_[i].decoded.spelling);
    if (!json_string) return std::nullopt;
    json_strings[i] = std::move(*json_string);
    changes.push_back({inner_[i].span, json_strings[i]});
  }
  return encode_checked(splice(whole_.text, changes), whole_.spelling);
}

}  // namespace tare::wire
