// How much of a request's prompt is the beginning of the prompt before it: what a provider's prefix
// cache can serve. A prompt is taken apart as providers put it together: tools, then instructions,
// then the history's items in order. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/tokenizer.h"

namespace tare::analysis {

// The prompt of a Responses, Chat Completions or Messages body, a piece each for the tools, the
// instructions and each item; tools as JSON, of the others each value on a line, strings as they
// read. How the body's JSON is spelled does not matter. None when the body is not JSON.
std::vector<std::string> prompt_pieces(std::string_view body);

struct TurnTokens {
  std::size_t tokens = 0;  // of the whole prompt
  std::size_t shared = 0;  // of it, the beginning that the turn before had too
  bool stable = false;     // the turn before is whole in it; of a first turn false
};

// Counts turns one after another, each piece once. Belongs to one thread.
class TurnCounter {
 public:
  explicit TurnCounter(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}
  // Of the bodies of one conversation, in the order of their turns.
  std::vector<TurnTokens> count(const std::vector<std::string_view>& bodies);

 private:
  std::size_t tokens_of(const std::string& piece);

  const Tokenizer& tokenizer_;
  std::unordered_map<std::string, std::size_t> counted_;
};

}  // namespace tare::analysis
