// A short report for the summary of a step in a CI service: what was concluded, no more than a
// screen of it. Markdown.
#pragma once

#include "analysis/reporter.h"

namespace tare::analysis {

class GithubReporter : public Reporter {
 public:
  std::string_view name() const override { return "github"; }
  std::string write(const Results& results, const Comparison* comparison) const override;
};

}  // namespace tare::analysis
