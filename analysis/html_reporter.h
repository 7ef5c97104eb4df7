// The report as one HTML page without outside references: the markdown report's own sections, with
// pictures of what they say.
#pragma once

#include "analysis/reporter.h"

namespace tare::analysis {

class HtmlReporter : public Reporter {
 public:
  std::string_view name() const override { return "html"; }
  std::string write(const Results& results, const Comparison* comparison) const override;
};

}  // namespace tare::analysis
