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
  // By SHA-256, those of which lines() hold the beginning only.
  const std::map<std::string, std::string>& whole_lines() const { return whole_lines_; }

 private:
  const std::vector<FoundMarker>& markers_of(const std::string& arm, Bodies& bodies);
  void add_line(const nlohmann::json& row);

  const RawRun& run_;
  const Tokenizer& tokenizer_;
  PairScorer scorer_;
  TurnCounter counter_;
  std::map<std::string_view, const WorkloadRow*> workload_;  // by SHA-256 of the sent body
  std::map<std::string, std::vector<const RetrievedRow*>> retrieved_;  // by arm
  std::map<std::string, std::vector<FoundMarker>> markers_;            // by arm
  std::string lines_;
  std::map<std::string, std::string> whole_lines_;
};

// What a model reads of what came back for a marker: the strings of a JSON reply, and the reply.
std::string retrieved_text(std::string_view reply);

}  // namespace tare::analysis
