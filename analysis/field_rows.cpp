#include "analysis/field_rows.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "analysis/fields.h"
#include "analysis/row_reader.h"

namespace tare::analysis {
namespace {

using nlohmann::json;

constexpr std::array changes{
    std::pair(Change::none, "none"), std::pair(Change::outputs_only, "outputs_only"),
    std::pair(Change::respelled, "respelled"), std::pair(Change::other, "other"),
    std::pair(Change::unknown, "unknown")};

constexpr std::array standings{FactStanding::kept, FactStanding::derivable,
                               FactStanding::recoverable, FactStanding::lost};

json to_json(const Standing& standing) {
  return {standing.of, standing.kept, standing.derivable, standing.recoverable, standing.lost};
}

Standing standing_of(Fields& fields, const char* key) {
  const auto counts = fields.integers(key);
  if (counts.size() != 5) {
    fields.blame(fmt::format("/{}: expected five counts", key));
    return {};
  }
  const auto at = [&](std::size_t i) { return static_cast<std::size_t>(counts[i]); };
  return {at(0), at(1), at(2), at(3), at(4)};
}

std::size_t count_of(Fields& fields, const char* key) {
  return static_cast<std::size_t>(fields.integer(key));
}

ScoreRow score_row(Fields& fields) {
  ScoreRow row;
  row.arm = fields.text("arm");
  row.sent_sha256 = fields.text("sent_sha256");
  row.forwarded_sha256 = fields.text("forwarded_sha256");
  PairScore& score = row.score;
  const auto change = fields.text("change");
  for (const auto& [value, name] : changes) {
    if (change == name) score.change = value;
  }
  const auto tokens = fields.integers("estimated_tokens");
  if (tokens.size() == 4) {
    score.estimated_tokens = {static_cast<double>(tokens[0]), static_cast<double>(tokens[1]),
                              static_cast<double>(tokens[2]), static_cast<double>(tokens[3])};
  }
  score.outputs = count_of(fields, "outputs");
  score.outputs_gone = count_of(fields, "outputs_gone");
  OutputScore& said = score.said;
  said.exact = fields.boolean("exact");
  said.lines = standing_of(fields, "lines");
  said.literals = standing_of(fields, "literals");
  said.respelled = count_of(fields, "respelled");
  said.moved = count_of(fields, "moved");
  said.extra = count_of(fields, "extra");
  said.own_lines = count_of(fields, "own_lines");
  said.rearranged_lines = count_of(fields, "rearranged_lines");
  said.false_lines = count_of(fields, "false_lines");
  said.false_numbers = count_of(fields, "false_numbers");
  said.lost = fields.texts("lost");
  said.false_said = fields.texts("false");
  score.added = {count_of(fields, "added_bytes"), count_of(fields, "added_tokens"),
                 fields.maybe_text("added").value_or("")};
  for (const auto& item : fields.array("facts")) {
    Fields fact(item, "/facts");
    FactScore one{fact.text("name"), FactStanding::lost, fact.maybe_boolean("words")};
    const auto name = fact.text("standing");
    for (const auto standing : standings) {
      if (name_of(standing) == name) one.standing = standing;
    }
    score.facts.push_back(std::move(one));
    fields.blame(fact.fault());
  }
  for (const auto& item : fields.array("cut")) {
    Fields cut(item, "/cut");
    row.cut.push_back(
        {cut.text("of"), count_of(cut, "at"), count_of(cut, "bytes"), cut.text("sha256")});
    fields.blame(cut.fault());
  }
  return row;
}

ConversationTurns conversation_row(Fields& fields) {
  ConversationTurns row;
  row.arm = fields.text("arm");
  row.task = fields.text("task");
  row.conversation = fields.text("conversation");
  row.tokenizer = fields.text("tokenizer");
  for (const auto& item : fields.array("turns")) {
    Fields turn(item, "/turns");
    row.sent.push_back({count_of(turn, "sent_tokens"), count_of(turn, "sent_shared"),
                        turn.boolean("sent_stable")});
    row.forwarded.push_back(
        {count_of(turn, "tokens"), count_of(turn, "shared"), turn.boolean("stable")});
    fields.blame(turn.fault());
  }
  return row;
}

RetrievedRow retrieved_row(Fields& fields) {
  RetrievedRow row;
  row.arm = fields.text("arm");
  row.forwarded_sha256 = fields.text("forwarded_sha256");
  row.marker = fields.text("marker");
  const auto status = fields.maybe_integer("status");
  const bool failed = fields.maybe_text("error").has_value() || (status && *status >= 300);
  if (!failed) row.sha256 = fields.maybe_text("sha256");
  return row;
}

// Reads a file's rows, if it is there; calls `use` with the fields of each.
template <typename Use>
bool read_lines(RowReader& reader, const char* name, Repeated repeated, Use use) {
  if (!reader.there(name)) return false;
  reader.read(
      name,
      [&](std::string_view line, std::size_t /*number*/, bool last) {
        std::string fault;
        const json object = RowReader::parse_line(line, last, fault);
        if (!fault.empty()) return fault;
        Fields fields(object);
        use(fields);
        return fields.fault();
      },
      repeated);
  return true;
}

}  // namespace

FieldRows read_field_rows(const std::filesystem::path& folder, std::vector<std::string>& warnings) {
  FieldRows rows;
  RowReader reader(folder, warnings);
  rows.scored = read_lines(reader, "scores.jsonl", Repeated::left_out, [&](Fields& fields) {
    if (fields.text("row") == "conversation") {
      auto row = conversation_row(fields);
      if (fields.fault().empty()) rows.conversations.push_back(std::move(row));
      return;
    }
    auto row = score_row(fields);
    if (fields.fault().empty()) rows.scores.push_back(std::move(row));
  });
  // Two starts may ask for the same marker and get the same.
  read_lines(reader, "retrieved.jsonl.zst", Repeated::taken, [&](Fields& fields) {
    auto row = retrieved_row(fields);
    if (fields.fault().empty()) rows.retrieved.push_back(std::move(row));
  });
  return rows;
}

json to_json(const ScoreRow& row) {
  const PairScore& score = row.score;
  const OutputScore& said = score.said;
  json facts = json::array();
  for (const auto& fact : score.facts) {
    facts.push_back({{"name", fact.name}, {"standing", name_of(fact.standing)}});
    if (fact.words) facts.back()["words"] = *fact.words;
  }
  json cut = json::array();
  for (const auto& one : row.cut) {
    cut.push_back({{"of", one.of}, {"at", one.at}, {"bytes", one.bytes}, {"sha256", one.sha256}});
  }
  const auto change =
      std::ranges::find(changes, score.change, [](const auto& c) { return c.first; });
  return {
      {"row", "pair"},
      {"arm", row.arm},
      {"sent_sha256", row.sent_sha256},
      {"forwarded_sha256", row.forwarded_sha256},
      {"change", change == changes.end() ? "unknown" : change->second},
      {"estimated_tokens",
       {std::llround(score.estimated_tokens.sent_outputs),
        std::llround(score.estimated_tokens.forwarded_outputs),
        std::llround(score.estimated_tokens.sent), std::llround(score.estimated_tokens.forwarded)}},
      {"outputs", score.outputs},
      {"outputs_gone", score.outputs_gone},
      {"exact", said.exact},
      {"lines", to_json(said.lines)},
      {"literals", to_json(said.literals)},
      {"respelled", said.respelled},
      {"moved", said.moved},
      {"extra", said.extra},
      {"own_lines", said.own_lines},
      {"rearranged_lines", said.rearranged_lines},
      {"false_lines", said.false_lines},
      {"false_numbers", said.false_numbers},
      {"facts", facts},
      {"added_bytes", score.added.bytes},
      {"added_tokens", score.added.tokens},
      {"added", score.added.example},
      {"lost", said.lost},
      {"false", said.false_said},
      {"cut", cut}};
}

json to_json(const ConversationTurns& row) {
  json turns = json::array();
  for (std::size_t i = 0; i < row.forwarded.size(); ++i) {
    turns.push_back({{"sent_tokens", row.sent[i].tokens},
                     {"sent_shared", row.sent[i].shared},
                     {"sent_stable", row.sent[i].stable},
                     {"tokens", row.forwarded[i].tokens},
                     {"shared", row.forwarded[i].shared},
                     {"stable", row.forwarded[i].stable}});
  }
  return {{"row", "conversation"},      {"arm", row.arm},
          {"task", row.task},           {"conversation", row.conversation},
          {"tokenizer", row.tokenizer}, {"turns", turns}};
}

}  // namespace tare::analysis
