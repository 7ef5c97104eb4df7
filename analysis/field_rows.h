// The rows of a run that only the field report needs: what was found of each forwarded body and of
// each conversation (scores.jsonl, made by score_run()), what came back for markers, and where the
// outputs of the workload come from. Formats: docs/raw-format.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/pair_score.h"
#include "analysis/prompt_prefix.h"

namespace tare::analysis {

struct ScoreRow {
  std::string arm;
  std::string sent_sha256;
  std::string forwarded_sha256;
  PairScore score;
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

// Where the last output of a sent body comes from.
struct OriginRow {
  std::string task;
  std::string class_name;
  std::string name;  // of a file
  std::string route;
  std::string tool;
  std::string conversation;
  int turn = 0;
};

struct FieldRows {
  std::vector<ScoreRow> scores;
  std::vector<ConversationTurns> conversations;
  std::vector<RetrievedRow> retrieved;
  std::map<std::string, OriginRow> origins;  // by SHA-256 of the sent body
  bool scored = false;                       // scores.jsonl is there
};

// A row that cannot be read is left out and told in `warnings`.
FieldRows read_field_rows(const std::filesystem::path& run_folder,
                          std::vector<std::string>& warnings);

nlohmann::json to_json(const ScoreRow& row);
nlohmann::json to_json(const ConversationTurns& row);

}  // namespace tare::analysis
