#include "analysis/prompt_prefix.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tare::analysis {
namespace {

using nlohmann::json;

std::string dumped(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

void add_values(const json& value, std::string& text) {
  if (value.is_structured()) {
    for (const auto& inner : value) add_values(inner, text);
    return;
  }
  text += value.is_string() ? value.get_ref<const std::string&>() : dumped(value);
  text += '\n';
}

std::string values_of(const json& value) {
  std::string text;
  add_values(value, text);
  return text;
}

// Bytes that both begin with, never half of a character.
std::size_t common_prefix(std::string_view a, std::string_view b) {
  const auto [end, other] = std::ranges::mismatch(a, b);
  auto length = static_cast<std::size_t>(end - a.begin());
  const auto continues = [&](std::size_t at) {
    return at < a.size() && (static_cast<unsigned char>(a[at]) & 0xC0U) == 0x80U;
  };
  while (length > 0 && continues(length)) --length;
  return length;
}

}  // namespace

std::vector<std::string> prompt_pieces(std::string_view body) {
  std::vector<std::string> pieces;
  const json root = json::parse(body, nullptr, false);
  if (!root.is_object()) return pieces;
  if (const auto tools = root.find("tools"); tools != root.end()) pieces.push_back(dumped(*tools));
  for (const char* key : {"instructions", "system"}) {
    if (const auto at = root.find(key); at != root.end()) pieces.push_back(values_of(*at));
  }
  for (const char* key : {"input", "messages"}) {
    const auto items = root.find(key);
    if (items == root.end()) continue;
    if (!items->is_array()) pieces.push_back(values_of(*items));
    if (!items->is_array()) continue;
    for (const auto& item : *items) pieces.push_back(values_of(item));
  }
  return pieces;
}

std::size_t TurnCounter::tokens_of(const std::string& piece) {
  const auto [at, fresh] = counted_.try_emplace(piece, 0);
  if (fresh) at->second = tokenizer_.count(piece);
  return at->second;
}

std::vector<TurnTokens> TurnCounter::count(const std::vector<std::string_view>& bodies) {
  std::vector<TurnTokens> turns;
  std::vector<std::string> before;
  for (const auto body : bodies) {
    auto pieces = prompt_pieces(body);
    TurnTokens turn;
    for (const auto& piece : pieces) turn.tokens += tokens_of(piece);
    const std::size_t both = std::min(pieces.size(), before.size());
    std::size_t same = 0;
    for (; same < both && pieces[same] == before[same]; ++same) {
      turn.shared += tokens_of(pieces[same]);
    }
    if (same < both) {
      const std::size_t length = common_prefix(pieces[same], before[same]);
      turn.shared += tokenizer_.count(std::string_view(pieces[same]).substr(0, length));
    }
    turn.stable = !turns.empty() && same == before.size();
    turns.push_back(turn);
    before = std::move(pieces);
  }
  return turns;
}

}  // namespace tare::analysis
