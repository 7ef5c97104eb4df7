// Scores what the arms of a run forwarded, body by body, and the prompts of its conversations, turn
// by turn: the lines of scores.jsonl. Used by verify_decoders(), which knows what the arms'
// decoders made. Belongs to one thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/bodies.h"
#include "analysis/field_rows.h"
#include "analysis/pair_score.h"
#include "analysis/raw_reader.h"
#include "analysis/tokenizer.h"

namespace tare::analysis {

class RunScores {
 public:
  RunScores(const RawRun& run, const FieldRows& rows, const Tokenizer& tokenizer);

  // Of one arm; `decoded`: nullptr when it has no decoder or that failed.
  void add_pair(const std::string& arm, const std::string& sent, const std::string& forwarded,
                const StoredBody* decoded, Bodies& bodies);
  void add_conversations(const std::string& arm, Bodies& bodies);

  const std::string& lines() const { return lines_; }

 private:
  std::vector<FoundMarker> markers_of(const std::string& arm, const std::string& forwarded,
                                      Bodies& bodies) const;
  void add_line(const nlohmann::json& row);

  const RawRun& run_;
  const FieldRows& rows_;
  const Tokenizer& tokenizer_;
  PairScorer scorer_;
  TurnCounter counter_;
  std::map<std::string, std::vector<Fact>, std::less<>> facts_;  // by SHA-256 of the sent body
  // by arm and SHA-256 of the forwarded body
  std::map<std::pair<std::string, std::string>, std::vector<const RetrievedRow*>> retrieved_;
  std::string lines_;
};

// What a model reads of what came back for a marker: the strings of a JSON reply, and the reply.
std::string retrieved_text(std::string_view reply);

}  // namespace tare::analysis
