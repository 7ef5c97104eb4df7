// The sections of a sliced plan's report: verdicts and what they rest on. Each is a pure function
// of the results.
#pragma once

#include <string>

#include "analysis/results.h"

namespace tare::analysis::markdown {

// "better", "no win: ..." or "inconclusive (could have seen 8.1 %)".
std::string verdict_text(const Versus& versus);
// "+12.3 %" of a log ratio; "–" without one.
std::string signed_percent(std::optional<double> log_value);
std::string interval_text(const std::optional<Interval>& interval);  // "-3.1 to +2.0 %"

std::string verdicts_at_a_glance(const Results& results);
std::string verdict_tables(const Results& results);
std::string other_estimates(const Results& results);
std::string resolution_section(const Results& results);
std::string sliced_group_tables(const Results& results);
std::string gates_section(const Results& results);
std::string steadiness_section(const Results& results);

}  // namespace tare::analysis::markdown
