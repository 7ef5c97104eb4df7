// Two runs of one plan, before and after a change: whether the subject became worse. Pure functions
// over runs.
//
// Rounds of two runs are no pairs. Where both runs have `direct` or an arm that only forwards
// beside the subject (the anchor), each round's figure is the subject's log ratio over the anchor
// in the same slice groups, so that a slower machine is not taken for a slower subject; else it is
// the figure itself. The two sets of rounds are held against each other by Mann and Whitney's test
// and its interval (rank_sum.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/raw_reader.h"
#include "analysis/sliced_results.h"
#include "common/error.h"

namespace tare::analysis {

struct ComparedMetric {
  Primary metric = Primary::latency;
  std::string task;
  std::string mode;
  std::size_t base_n = 0;
  std::size_t head_n = 0;
  std::optional<double> estimate;  // log ratio, head over base
  std::optional<Interval> within95;
  double margin = 0;        // a share
  std::optional<double> p;  // of the shift beyond the margin, two-sided
  std::optional<double> p_holm;
  Verdict verdict = Verdict::none;
  std::string because;
};

struct ComparedRuns {
  std::string subject;
  std::string anchor;                    // empty: none
  std::vector<std::string> differences;  // why they cannot be compared: plan, machine, state
  std::vector<std::string> notes;        // what differs besides, and does not forbid it
  std::vector<std::string> damages;      // what of the raw data was left out
  std::vector<ComparedMetric> metrics;

  bool damaged() const { return !damages.empty(); }
  bool comparable() const { return differences.empty(); }
  std::size_t worse() const;
};

// `subject`: empty for the plan's. Errors: usage when a run has no such arm.
Result<ComparedRuns> compare_runs(const RawRun& base, const RawRun& head,
                                  const std::string& subject);

std::string compared_markdown(const ComparedRuns& runs);

}  // namespace tare::analysis
