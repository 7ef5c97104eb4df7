// The figures of one arm in one group, over the rows given: of all rounds or of one. Used by
// make_results() only.
#pragma once

#include <vector>

#include "analysis/bodies.h"
#include "analysis/figures.h"
#include "analysis/raw_reader.h"

namespace tare::analysis {

struct CellRows {
  std::vector<const RequestRow*> requests;  // measured
  std::vector<const GroupRow*> groups;
};

Figures cell_figures(const CellRows& rows, Bodies& bodies);

// Collects values for one figure, and then describes them.
class Series {
 public:
  void add(double value, std::size_t line);
  void add(std::optional<std::int64_t> value, std::size_t line);
  const std::vector<double>& values() const { return values_; }
  // `value` with this series' n and lines.
  Figure figure(const Metric& metric, std::optional<double> value,
                std::string absent_because = "not measured") const;

 private:
  std::vector<double> values_;
  Lines lines_;
};

// The sum of a CPU field over rows / the sum of their requests, in ms. Rows without it are left
// out on both sides.
Figure cpu_per_request(const Metric& metric, const std::vector<const GroupRow*>& rows,
                       std::optional<std::int64_t> GroupRow::* field);

}  // namespace tare::analysis
