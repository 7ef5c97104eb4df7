#include "analysis/json_field.h"

namespace tare::analysis {
namespace {

using json = nlohmann::ordered_json;

json standing_json(const Standing& standing) {
  return {{"of", standing.of},
          {"kept", standing.kept},
          {"derivable", standing.derivable},
          {"recoverable", standing.recoverable},
          {"lost", standing.lost}};
}

json tokens_json(const PairTokens& tokens) {
  return {{"sent_outputs", tokens.sent_outputs},
          {"forwarded_outputs", tokens.forwarded_outputs},
          {"sent", tokens.sent},
          {"forwarded", tokens.forwarded}};
}

json cost_json(const Cost& cost) {
  return {{"cached_tokens", cost.cached_tokens},
          {"written_tokens", cost.written_tokens},
          {"plain_tokens", cost.plain_tokens},
          {"money", cost.money}};
}

json conversation_json(const ConversationTurns& turns, const std::optional<CostModel>& model) {
  std::size_t stable = 0;
  for (std::size_t i = 1; i < turns.forwarded.size(); ++i) {
    stable += turns.sent[i].stable && turns.forwarded[i].stable ? 1U : 0U;
  }
  json object = {{"conversation", turns.conversation},
                 {"turns", turns.forwarded.size()},
                 {"turns_with_a_stable_prefix", stable}};
  if (model) {
    object["cost_as_sent"] = cost_json(cost_of(turns.sent, *model));
    object["cost_as_forwarded"] = cost_json(cost_of(turns.forwarded, *model));
  }
  return object;
}

json cell_json(const FieldCell& cell, const std::optional<CostModel>& model) {
  json conversations = json::array();
  for (const auto& turns : cell.conversations) {
    conversations.push_back(conversation_json(turns, model));
  }
  return {{"class", cell.class_name},
          {"arm", cell.arm},
          {"sent_bodies", cell.sent_bodies},
          {"pairs", cell.pairs},
          {"deterministic", cell.deterministic()},
          {"tokens", tokens_json(cell.tokens)},
          {"lines", standing_json(cell.lines)},
          {"literals", standing_json(cell.literals)},
          {"facts", standing_json(cell.facts)},
          {"facts_without_words",
           cell.facts_without_words ? json(*cell.facts_without_words) : json(nullptr)},
          {"exact", cell.exact},
          {"lossy", cell.lossy},
          {"other_changes", cell.other_changes},
          {"outputs_gone", cell.outputs_gone},
          {"respelled", cell.respelled},
          {"moved", cell.moved},
          {"own_lines", cell.own_lines},
          {"rearranged_lines", cell.rearranged_lines},
          {"false_lines", cell.false_lines},
          {"false_numbers", cell.false_numbers},
          {"added_tokens", cell.added_tokens},
          {"conversations", conversations}};
}

json claim_json(const ClaimCheck& claim) {
  json examples = json::array();
  for (const auto& example : claim.examples) {
    examples.push_back(
        {{"class", example.class_name}, {"name", example.name}, {"score", to_json(*example.row)}});
  }
  return {{"arm", claim.arm},
          {"claims_lossless", claim.claims_lossless},
          {"holds", claim.holds()},
          {"pairs", claim.pairs},
          {"lossy", claim.lossy},
          {"says_false", claim.says_false},
          {"counter_examples", examples}};
}

}  // namespace

json field_json(const FieldResults& field) {
  json cells = json::array();
  for (const auto& cell : field.cells) cells.push_back(cell_json(cell, field.cost_model));
  json claims = json::array();
  for (const auto& claim : field.claims) claims.push_back(claim_json(claim));
  return {{"no_model_was_asked", true},
          {"tokens", field.tokens_counted ? "o200k_base" : "estimate"},
          {"classes", field.classes},
          {"cells", cells},
          {"claims", claims}};
}

}  // namespace tare::analysis
