// What pictures of a run show beyond its tables: latency distributions, and CPU and memory over
// time. Part of the model of results; pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/run_index.h"

namespace tare::analysis {

// The latencies of an arm in a group: ms[i] is what i / (size - 1) of them took at most.
struct Curve {
  std::string arm;
  std::string task;
  std::string mode;
  std::size_t n = 0;
  std::vector<double> ms;
};

// Of the measured requests that did not fail, in the order of the plan's groups and arms.
std::vector<Curve> latency_curves(const RawRun& run, const RunIndex& index, Design design);

struct TimePoint {
  double at_s = 0;                   // since the run's first sample
  std::optional<double> cpus;        // CPUs in use: mean over the stretch
  std::optional<double> anon_bytes;  // largest in the stretch
};

struct TimeSeries {
  std::string arm;
  std::vector<TimePoint> points;  // of stretches of equal length; those without a sample are absent
};

// Of each arm with a process, over its counted starts.
std::vector<TimeSeries> time_series(const RawRun& run, const RunIndex& index);

}  // namespace tare::analysis
