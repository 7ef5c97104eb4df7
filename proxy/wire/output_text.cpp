#include "proxy/wire/output_text.h"

#include <algorithm>
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

// A form can be all ASCII that stands for what is not: by reference to an earlier output. So that
// its reader still sees the spelling to write the original in, its first character is then escaped.
constexpr std::string_view marked_bracket = "\"\\u005b";
constexpr std::string_view marked_brace = "\"\\u007b";

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x7F; });
}

std::optional<JsonText> read_string(std::string_view json_string) {
  auto decoded = decode(json_string);
  const bool is_marked =
      json_string.starts_with(marked_bracket) || json_string.starts_with(marked_brace);
  if (decoded && is_marked && is_ascii(decoded->text)) decoded->spelling = Spelling::ascii;
  return decoded;
}

std::optional<std::string> write_string(std::string_view text, Spelling spelling) {
  auto json_string = encode_checked(text, spelling);
  if (json_string && spelling == Spelling::ascii && is_ascii(text)) {
    if (text.starts_with('[')) json_string->replace(0, 2, marked_bracket);
    if (text.starts_with('{')) json_string->replace(0, 2, marked_brace);
  }
  return json_string;
}

}  // namespace

std::optional<OutputText> OutputText::read(std::string_view json_string) {
  OutputText result;
  auto whole = read_string(json_string);
  if (!whole) return std::nullopt;
  result.whole_ = std::move(*whole);
  for (const Span span : envelope_strings(result.whole_.text)) {
    auto decoded = read_string(span.of(result.whole_.text));
    // Not JSON after all, or spelled as it would not be written again: the tool's own text is then
    // the whole of it, which must come back byte for byte.
    if (!decoded || write_string(decoded->text, decoded->spelling) != span.of(result.whole_.text)) {
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
    const std::optional<std::string>& text = replacements.front();
    return write_string(text ? *text : whole_.text, whole_.spelling);
  }
  std::vector<std::string> json_strings(inner_.size());
  std::vector<Change> changes;
  for (std::size_t i = 0; i < inner_.size(); ++i) {
    const std::optional<std::string>& text = replacements[i];
    if (!text) continue;
    auto json_string = write_string(*text, inner_[i].decoded.spelling);
    if (!json_string) return std::nullopt;
    json_strings[i] = std::move(*json_string);
    changes.push_back({inner_[i].span, json_strings[i]});
  }
  return write_string(splice(whole_.text, changes), whole_.spelling);
}

}  // namespace tare::wire
