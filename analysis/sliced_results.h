// What a sliced plan's run says: each comparison of the subject with a reference and its verdict,
// the twin's resolution, the gates, trends, idle and deferred CPU. Part of the one model of results
// (results.h); made once, written by every reporter.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/run_index.h"
#include "analysis/slices.h"
#include "analysis/verdict.h"

namespace tare::analysis {

enum class Primary { latency, cpu, memory, bytes };
inline constexpr std::array primaries{Primary::latency, Primary::cpu, Primary::memory,
                                      Primary::bytes};
std::string_view key_of(Primary metric);    // "latency"
std::string_view title_of(Primary metric);  // "CPU a request"

// The subject against one reference, by one metric in one group.
struct Versus {
  Primary metric = Primary::latency;
  std::string task;
  std::string mode;
  std::string reference;
  Judged judged;                  // of the sliced rounds
  std::vector<RoundPair> rounds;  // of bytes: none
  Effect isolated;                // of the isolated rounds: too few for a verdict
  std::vector<RoundPair> isolated_rounds;
  std::optional<double> subject_value;  // mean of the rounds: ms, us a request, bytes
  std::optional<double> reference_value;
  std::string through;        // never up together: compared by way of this arm; else empty
  std::string not_same_work;  // why a "better" is no win; empty: it is one
};

// The twin against the arm that it copies: what a run calls a difference where there is none.
struct TwinResult {
  Primary metric = Primary::latency;
  std::string task;
  std::string mode;
  Effect effect;
  std::optional<double> resolution;  // half the width of its 95 % interval, a log ratio
};

// An arm's latency above direct's in the same slice groups.
struct AddedLatency {
  std::string arm;
  std::string task;
  std::string mode;
  std::size_t n = 0;
  std::optional<double> added_ms;
  std::optional<Interval> within95;
};

struct TrendCounts {
  std::string arm;
  std::size_t flat = 0;  // of starts and groups
  std::size_t warming = 0;
  std::size_t slowing = 0;
  std::size_t cannot_be_told = 0;

  std::size_t told() const { return flat + warming + slowing; }
  // More than a fifth is not flat: its figures are those of the first requests only.
  bool no_steady_state() const { return 5 * (warming + slowing) > told(); }
};

// CPU of an arm while no request is in flight, and after the last one of a window.
struct QuietCpu {
  std::string arm;
  std::optional<double> idle_us_per_s;
  std::optional<double> deferred_us_per_request;
  std::optional<double> deferred_share;  // of the CPU within windows
};

struct Gates {
  std::size_t sliced = 0;  // rounds that count
  std::size_t isolated = 0;
  std::map<std::string, std::size_t> discarded;  // cause -> rounds
};

struct SlicedResults {
  std::string subject;
  std::vector<std::string> references;
  std::string twin;  // empty: the run has none
  std::string twin_of;
  std::size_t family = 0;  // tests that Holm and Bonferroni count
  std::vector<Versus> versus;
  std::vector<TwinResult> twins;
  std::vector<AddedLatency> added;
  std::vector<TrendCounts> trends;
  std::vector<QuietCpu> quiet;
  Gates gates;
  std::vector<RoundRow> rounds;

  const TwinResult* twin_result(Primary metric, std::string_view task, std::string_view mode) const;
};

SlicedResults make_sliced_results(const RawRun& run, const RunIndex& index);

}  // namespace tare::analysis
