// The figures of an arm's slices, and rounds in which two arms' slices are paired. An isolated
// round's whole window stands as its only slice. Pure functions over indexed rows.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/effect.h"
#include "analysis/run_index.h"
#include "analysis/trend.h"

namespace tare::analysis {

struct Slice {
  std::optional<double> latency_ms;  // mean of the requests that did not fail
  std::optional<double> cpu_us;      // a request
  std::optional<double> anon_bytes;  // at its end
};

using SliceTable = std::map<std::pair<int, int>, Slice>;  // by round and slice

SliceTable slices_of(const IndexedRows& rows);

// A round's log ratio is the Hodges-Lehmann estimate of its slice groups' log ratios. A slice group
// that either arm lacks, or whose figure is missing or not above 0, is in neither; a round without
// any is left out.
std::vector<RoundPair> paired_rounds(const SliceTable& subject, const SliceTable& reference,
                                     std::optional<double> Slice::* figure);

// By how much the subject's figure lies above the reference's: a round's value is the
// Hodges-Lehmann estimate of its slice groups' differences.
std::vector<double> paired_differences(const SliceTable& subject, const SliceTable& reference,
                                       std::optional<double> Slice::* figure);

// The trend in each round of the arm's latency over that of `direct` in the same slice group, so
// that the machine's own drift is not taken for the arm's; without `direct` in a round, of the
// latency itself.
std::map<int, Trend> trends_of(const SliceTable& arm, const SliceTable* direct);

}  // namespace tare::analysis
