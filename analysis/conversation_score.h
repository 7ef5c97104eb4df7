// Scores a compactor of request bodies on conversations: what it keeps of their tool outputs, with
// and without references to earlier outputs of the same request. The compactor is a command, a body
// on stdin, the body to be sent on stdout.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/tokenizer.h"
#include "common/error.h"

namespace tare::analysis {

// The texts of the tool outputs in a Responses, Chat Completions or Messages body, in order; none
// when it is not one.
std::vector<std::string> output_texts(std::string_view body);

struct ConversationOptions {
  std::vector<std::string> command;
  std::vector<std::string> alone;                                   // the same without references
  std::vector<std::string> decoder;                                 // of both
  std::chrono::milliseconds time_limit = std::chrono::seconds(60);  // of one process
};

struct ConversationScore {
  std::size_t bodies = 0;
  std::size_t outputs = 0;
  std::size_t tokens = 0;        // of the outputs
  std::size_t tokens_alone = 0;  // kept of them without references
  std::size_t tokens_kept = 0;   // kept of them with
  std::size_t exact = 0;         // bodies that the decoder gave back byte for byte, both ways

  void add(const ConversationScore& other);
};

// Of one body. Errors: those of run_filter(), and invalid when the compacted body has not as many
// outputs.
Result<ConversationScore> score_conversation(std::string_view body,
                                             const ConversationOptions& options,
                                             const Tokenizer& tokenizer);

// A row of the table: bodies alike but for their seeds.
struct ConversationRow {
  std::string title;
  ConversationScore score;
};
std::string conversation_markdown(const std::vector<ConversationRow>& rows,
                                  const Tokenizer& tokenizer);

}  // namespace tare::analysis
