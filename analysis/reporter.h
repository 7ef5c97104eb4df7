// A report format: one small class and one line in reporters(). A reporter is a pure function of
// the results: no clock, no locale, no path of the machine, so the same run folder gives the same
// bytes everywhere.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/published.h"
#include "analysis/results.h"

namespace tare::analysis {

class Reporter {
 public:
  virtual ~Reporter() = default;
  virtual std::string_view name() const = 0;  // as typed after --format
  // `comparison`: nullptr without --against. The text ends with a line break.
  virtual std::string write(const Results& results, const Comparison* comparison) const = 0;
};

// The first is the default.
std::span<const Reporter* const> reporters();

// nullptr when there is none of that name.
const Reporter* find_reporter(std::string_view name);

// "reproduced in 2 of 3 rounds": in words.
std::string outcome_text(Outcome outcome, std::size_t rounds_reproduced, std::size_t rounds);

// The fixed sentences on what a run of this kind cannot say; the machine's own are in the run.
std::vector<std::string_view> general_limits(const Results& results);

}  // namespace tare::analysis
