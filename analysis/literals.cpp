#include "analysis/literals.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

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

std::string_view trimmed(std::string_view line) {
  const auto first = line.find_first_not_of(" \t\r");
  if (first == line.npos) return {};
  return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

// Calls `use` with each line that is not blank, without the blanks at its ends.
template <typename Function>
void for_each_line(std::string_view text, Function use) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (const auto line = trimmed(text.substr(0, end)); !line.empty()) use(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
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

KeptCount literals_kept(std::string_view original, std::string_view shorter) {
  const auto words = words_of(shorter);
  const std::unordered_set<std::string_view> there(words.begin(), words.end());
  KeptCount count;
  for (const auto literal : distinctive_literals(original)) {
    ++count.of;
    if (there.contains(literal)) ++count.kept;
  }
  return count;
}

KeptCount lines_kept(std::string_view original, std::string_view shorter) {
  std::unordered_set<std::string_view> there;
  for_each_line(shorter, [&](std::string_view line) {
    there.insert(line);
    const auto blank = line.find_first_of(" \t");
    if (blank != line.npos) there.insert(trimmed(line.substr(blank)));
  });
  KeptCount count;
  for_each_line(original, [&](std::string_view line) {
    ++count.of;
    if (there.contains(line)) ++count.kept;
  });
  return count;
}

}  // namespace tare::analysis
