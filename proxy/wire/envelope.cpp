#include "proxy/wire/envelope.h"

#include <algorithm>
#include <array>

#include "proxy/wire/json_walk.h"
#include "proxy/wire/tool_texts.h"

namespace tare::wire {
namespace {

// More than this around the strings, and the text is data that happens to have such a member.
constexpr std::size_t max_bytes_around = 1024;

constexpr std::array<std::string_view, 3> string_keys = {"output", "stdout", "stderr"};

// Spares a look into what cannot be one: the first string's key stands near the beginning.
bool may_be_envelope(std::string_view text) {
  if (!text.starts_with('{') && !text.starts_with('[')) return false;
  const std::string_view begin = text.substr(0, max_bytes_around);
  return std::ranges::any_of(
      std::array{"\"output\"", "\"stdout\"", "\"stderr\"", "\"content\"", "\"text\""},
      [&](std::string_view key) { return begin.find(key) != std::string_view::npos; });
}

bool locate(const JsonWalk& walk, JsonWalk::Value& root, std::vector<Span>& strings) {
  ToolTexts parts;
  std::array<StringMember, string_keys.size()> members;
  const auto take_member = [&](JsonWalk::Key key, JsonWalk::Value& value) {
    if (key == "content") return parts.take(walk, value);
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (key == string_keys[i]) members[i].take(walk, value);
    }
    return true;
  };
  const bool is_list = walk.text({0, 1}) == "[";
  if (is_list ? !parts.take(walk, root) : !walk.each_member_of(root, take_member)) return false;
  for (const StringMember& member : members) {
    if (!member.span().empty()) strings.push_back(member.span());
  }
  strings.insert(strings.end(), parts.texts().begin(), parts.texts().end());
  std::ranges::sort(strings, {}, &Span::begin);
  return true;
}

}  // namespace

std::vector<Span> envelope_strings(std::string_view text) {
  std::vector<Span> strings;
  if (!may_be_envelope(text)) return strings;
  const bool read = walk_root(text, [&](const JsonWalk& walk, JsonWalk::Value& root) {
    return locate(walk, root, strings);
  });
  std::size_t around = text.size();
  for (const Span span : strings) around -= span.end - span.begin;
  if (!read || around > max_bytes_around) strings.clear();
  return strings;
}

}  // namespace tare::wire
