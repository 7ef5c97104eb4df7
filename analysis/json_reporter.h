// The report for programs: every figure with its value, unit, n, and the raw rows and rule it was
// made from, so that a line of any report can be checked by hand.
#pragma once

#include "analysis/reporter.h"

namespace tare::analysis {

class JsonReporter : public Reporter {
 public:
  std::string_view name() const override { return "json"; }
  std::string write(const Results& results, const Comparison* comparison) const override;
};

}  // namespace tare::analysis
