// The field: each arm in each class of workload, what it sent on, what became of what was sent, and
// whether what its authors claim holds. One model for all reporters.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/cost_model.h"
#include "analysis/field_rows.h"
#include "analysis/raw_reader.h"

namespace tare::analysis {

// An arm in a class: the groups of one task, whatever their mode. Sums over distinct pairs of sent
// and forwarded bodies.
struct FieldCell {
  std::string arm;
  std::string class_name;
  std::size_t sent_bodies = 0;
  std::size_t pairs = 0;  // more than sent_bodies: the same body was forwarded differently
  PairTokens tokens;      // exact, or estimates: see FieldResults
  Standing lines;
  Standing literals;
  Standing facts;
  // Of the lost ones: not even their words are there; nothing when older rows do not tell.
  std::optional<std::size_t> facts_without_words = 0;
  std::size_t exact = 0;          // pairs of which each output is the original, or becomes it again
  std::size_t lossy = 0;          // pairs with a line, literal or fact lost
  std::size_t other_changes = 0;  // pairs whose body differs outside its outputs, in values
  std::size_t outputs_gone = 0;
  std::size_t respelled = 0;
  std::size_t moved = 0;
  std::size_t own_lines = 0;
  std::size_t rearranged_lines = 0;
  std::size_t false_lines = 0;
  std::size_t false_numbers = 0;
  std::size_t added_tokens = 0;
  std::vector<ConversationTurns> conversations;

  bool deterministic() const { return pairs == sent_bodies; }
  bool loses() const { return lossy > 0; }
};

// A forwarded body that speaks against an arm.
struct CounterExample {
  std::string class_name;
  std::string name;  // of the output's file; may be empty
  const ScoreRow* row = nullptr;
};

// Nothing when one of them is not known.
std::optional<std::size_t> sum_if_known(std::optional<std::size_t> a, std::optional<std::size_t> b);

struct ClaimCheck {
  std::string arm;
  bool claims_lossless = false;
  std::size_t pairs = 0;
  std::size_t lossy = 0;                 // of them
  std::size_t says_false = 0;            // of them
  std::vector<CounterExample> examples;  // the first few

  bool holds() const { return !claims_lossless || (lossy == 0 && says_false == 0); }
};

struct FieldResults {
  bool tokens_counted = false;       // exactly; else they are estimates
  std::vector<std::string> classes;  // in the plan's order
  std::vector<FieldCell> cells;      // by class, then arm, in the plan's order
  std::vector<ClaimCheck> claims;
  std::optional<CostModel> cost_model;
  std::shared_ptr<const FieldRows> rows;  // what the examples point into

  const FieldCell* find(const std::string& arm, const std::string& class_name) const;
};

// Nothing when the run was not scored, or keeps no bodies.
std::optional<FieldResults> make_field_results(const RawRun& run,
                                               std::shared_ptr<const FieldRows> rows);

}  // namespace tare::analysis
