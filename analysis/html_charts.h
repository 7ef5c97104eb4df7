// The pictures of the HTML report, each a pure function of the results; empty where there is
// nothing to draw.
#pragma once

#include <string>

#include "analysis/results.h"

namespace tare::analysis::html {

std::string forest(const Results& results);         // ratios, intervals and verdicts, by metric
std::string joined_rounds(const Results& results);  // each round's means, joined over the arms
std::string distributions(const Results& results);  // of latency, by group
std::string over_time(const Results& results);      // CPU and memory of each arm
std::string gates(const Results& results);  // the canary of each round, and what was discarded

}  // namespace tare::analysis::html
