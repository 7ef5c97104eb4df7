#include "analysis/utf8.h"

namespace tare::analysis {
namespace {

constexpr char32_t replacement = 0xFFFD;

// A leading byte: how many bytes follow, and what the first of these may be (Unicode, table 3-7).
struct Lead {
  std::size_t following = 0;
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  char32_t bits = 0;
};

Lead lead_of(unsigned char byte) {
  const char32_t bits = byte;
  if (byte >= 0xC2 && byte <= 0xDF) return {1, 0x80, 0xBF, bits & 0x1FU};
  if (byte == 0xE0) return {2, 0xA0, 0xBF, 0};
  if (byte == 0xED) return {2, 0x80, 0x9F, bits & 0x0FU};
  if (byte >= 0xE1 && byte <= 0xEF) return {2, 0x80, 0xBF, bits & 0x0FU};
  if (byte == 0xF0) return {3, 0x90, 0xBF, 0};
  if (byte >= 0xF1 && byte <= 0xF3) return {3, 0x80, 0xBF, bits & 0x07U};
  if (byte == 0xF4) return {3, 0x80, 0x8F, bits & 0x07U};
  return {};
}

}  // namespace

CodePoint code_point_at(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  if (first < 0x80) return {first, 1};
  Lead lead = lead_of(first);
  if (lead.following == 0) return {replacement, 1};
  for (std::size_t i = 1; i <= lead.following; ++i) {
    const auto next = at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
    if (next < lead.low || next > lead.high) return {replacement, i};
    lead.bits = (lead.bits << 6U) | (next & 0x3FU);
    lead.low = 0x80;
    lead.high = 0xBF;
  }
  return {lead.bits, lead.following + 1};
}

std::string well_formed(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    // U+FFFD itself takes three bytes, and so may a part of a sequence of four.
    result +=
        point.code == replacement ? std::string_view("\xEF\xBF\xBD") : text.substr(at, point.bytes);
    at += point.bytes;
  }
  return result;
}

}  // namespace tare::analysis
