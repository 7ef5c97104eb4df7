// The report as comma-separated values, a line a figure, for spreadsheets and scripts (RFC 4180).
#pragma once

#include "analysis/reporter.h"

namespace tare::analysis {

class CsvReporter : public Reporter {
 public:
  std::string_view name() const override { return "csv"; }
  std::string write(const Results& results, const Comparison* comparison) const override;
};

}  // namespace tare::analysis
