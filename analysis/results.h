// Everything a report says of a run, computed once from the raw rows: the one model that all
// reporters write down. A reporter computes nothing.
//
// Only starts that ended well are counted, and only of a complete run: what else came is told by
// counts. Figures carry their n, unit and raw rows.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/fidelity.h"
#include "analysis/field_results.h"
#include "analysis/figures.h"
#include "analysis/plots.h"
#include "analysis/raw_reader.h"
#include "analysis/sliced_results.h"

namespace tare::analysis {

struct RoundFigures {
  int round = 0;
  Figures figures;
};

// An arm in a group.
struct Cell {
  std::string arm;
  Figures figures;   // over all rounds; of a sliced plan the sliced ones
  Figures isolated;  // over a sliced plan's isolated rounds
  std::vector<RoundFigures> rounds;
  Kept kept;
};

struct GroupResult {
  std::string task;
  std::string mode;
  std::vector<Cell> cells;  // in the plan's order; arms without a counted start are not there
  Figure cpu_reduction;     // 1 - CPU(subject) / CPU(baseline)

  const Cell* find(const std::string& arm) const;
};

struct StartResult {
  StartRow row;
  bool counted = false;
  bool alone = false;  // counted, and no other arm was up: start-up is read from these only
  std::optional<double> ready_ms;
};

struct ArmResult {
  ArmInfo info;
  int mark = 0;     // of its degraded modes' footnote; 0: none
  Figures figures;  // of its counted starts
  std::vector<StartResult> starts;
  std::map<std::string, std::size_t> outcomes;           // of its starts
  std::map<std::string, std::size_t> measured_statuses;  // "200", "429", "no reply" -> requests
  std::map<std::string, std::size_t> warmup_statuses;
  std::size_t wrong_replies = 0;  // status 200 with a reply that is not the upstream's
  std::map<int, std::size_t> rate_limited_rounds;  // round -> requests answered 429
};

struct Results {
  RunInfo info;
  bool figures_given = false;
  std::vector<std::string> warnings;  // of the raw data
  bool damaged = false;
  bool tokens_counted = false;  // exactly; else they are estimates
  std::vector<ArmResult> arms;  // in the plan's order
  std::vector<GroupResult> groups;
  std::optional<SlicedResults> sliced;  // verdicts and what they rest on: of a sliced plan
  std::string subject;                  // the plan's first compressor, or empty
  std::string baseline;                 // the plan's second one
  std::optional<FieldResults> field;    // when the run was scored
  std::vector<std::string> findings;
  std::vector<EventRow> events;
  std::vector<Curve> curves;  // for pictures
  std::vector<TimeSeries> series;

  const ArmResult* find(const std::string& arm) const;
};

Results make_results(const RawRun& run);

}  // namespace tare::analysis
