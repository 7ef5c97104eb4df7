#include "analysis/literals.h"

#include <algorithm>
#include <unordered_map>

namespace tare::analysis {
namespace {

constexpr std::size_t shortest_literal_bytes = 4;
constexpr std::size_t often = 3;  // a word that occurs as often tells nothing apart

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_sign(char c) {
  return c == '_' || c == '-' || c == '.' || c == '/' || c == '@' || c == '+';
}
bool is_inner(char c) {
  return is_upper(c) || is_lower(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0x80;
}

bool tells_apart(std::string_view word) {
  if (word.size() < shortest_literal_bytes) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const char c = word[i];
    if (is_digit(c) || c == '_' || c == '/') return true;
    if (i > 0 && is_upper(c) && is_lower(word[i - 1])) return true;
  }
  return false;
}

}  // namespace

std::size_t word_length(std::string_view text, std::size_t at) {
  if (at >= text.size() || !is_inner(text[at])) return 0;
  std::size_t end = at;
  for (std::size_t i = at; i < text.size() && (is_inner(text[i]) || is_sign(text[i])); ++i) {
    if (is_inner(text[i])) end = i + 1;
  }
  return end - at;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = word_length(text, at);
    if (length > 0) words.push_back(text.substr(at, length));
    at += std::max<std::size_t>(length, 1);
  }
  return words;
}

std::vector<std::string_view> distinctive_literals(std::string_view text) {
  std::vector<std::string_view> found;
  std::unordered_map<std::string_view, std::size_t> times;
  for (const auto word : words_of(text)) {
    if (tells_apart(word) && ++times[word] == 1) found.push_back(word);
  }
  std::erase_if(found, [&](std::string_view word) { return times[word] >= often; });
  return found;
}

}  // namespace tare::analysis
