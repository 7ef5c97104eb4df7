// The rows of a run that only the field report needs: what was found of each forwarded body and of
// each conversation (scores.jsonl, made by verify_decoders()), and what came back for markers.
// Formats: docs/raw-format.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/pair_score.h"
#include "analysis/prompt_prefix.h"

namespace tare::analysis {

// Of an example that is too long for a row only the beginning is in it; the whole is in bodies/.
struct CutLine {
  std::string of;      // "lost" or "false"
  std::size_t at = 0;  // from 0 in that list
  std::size_t bytes = 0;
  std::string sha256;
};

struct ScoreRow {
  std::string arm;
  std::string sent_sha256;
  std::string forwarded_sha256;
  PairScore score;
  std::vector<CutLine> cut;
};

struct ConversationTurns {
  std::string arm;
  std::string task;
  std::string conversation;
  std::string tokenizer;
  std::vector<TurnTokens> sent;
  std::vector<TurnTokens> forwarded;
};

// What a model would get that asked for what is behind a marker.
struct RetrievedRow {
  std::string arm;
  std::string forwarded_sha256;
  std::string marker;
  std::optional<std::string> sha256;  // of the body that came back; absent: none did
};

struct FieldRows {
  std::vector<ScoreRow> scores;
  std::vector<ConversationTurns> conversations;
  std::vector<RetrievedRow> retrieved;
  bool scored = false;  // scores.jsonl is there
};

// A row that cannot be read is left out and told in `warnings`.
FieldRows read_field_rows(const std::filesystem::path& run_folder,
                          std::vector<std::string>& warnings);

nlohmann::json to_json(const ScoreRow& row);
nlohmann::json to_json(const ConversationTurns& row);

}  // namespace tare::analysis
