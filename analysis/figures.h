// A figure of a report: a value with its unit, its n, and the raw rows it was made from, so that
// each can be computed again by hand. Plain data.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/lines.h"

namespace tare::analysis {

enum class Unit { count, milliseconds, bytes, tokens, estimated_tokens, share };
std::string_view name_of(Unit unit);  // "ms", "bytes", ...

// What is measured and how it is computed from the raw rows. One constant a metric: see metrics.
struct Metric {
  std::string_view key;    // in JSON: "mean_ms"
  std::string_view title;  // of a column: "mean"
  Unit unit;
  std::string_view file;  // the raw file of its rows
  std::string_view how;   // from the fields of the rows
};

struct Figure {
  const Metric* metric = nullptr;
  std::optional<double> value;  // absent: not measured, or too few values
  std::size_t n = 0;            // how many values went into it
  Lines lines;                  // of the raw file
  std::string absent_because;   // when there is no value
};

// The figures of one cell of a report, by metric.
class Figures {
 public:
  void add(Figure figure) { all_.push_back(std::move(figure)); }
  // A metric that was not added gives an empty figure.
  const Figure& at(const Metric& metric) const;
  std::optional<double> value(const Metric& metric) const { return at(metric).value; }
  const std::vector<Figure>& all() const { return all_; }

 private:
  std::vector<Figure> all_;
};

namespace metrics {

// Of an arm in a group, over all rounds or one.
extern const Metric requests;
extern const Metric failures;
extern const Metric mean_latency;
extern const Metric median_latency;
extern const Metric p90_latency;
extern const Metric p95_latency;
extern const Metric added_mean;
extern const Metric added_median;
extern const Metric cpu;
extern const Metric sent_bytes;
extern const Metric forwarded_bytes;
extern const Metric sent_tokens;  // these two when the run's tokens were counted, else the next two
extern const Metric forwarded_tokens;
extern const Metric estimated_sent_tokens;
extern const Metric estimated_forwarded_tokens;
extern const Metric anon_end;
extern const Metric anon_largest;
extern const Metric private_largest;
extern const Metric harness_cpu;
extern const Metric upstream_cpu;

// Of an arm's starts.
extern const Metric ready;
extern const Metric first_request;
extern const Metric cpu_at_ready;
extern const Metric anon_at_ready;
extern const Metric peak;
extern const Metric window_cpu;
extern const Metric life_cpu;

}  // namespace metrics
}  // namespace tare::analysis
