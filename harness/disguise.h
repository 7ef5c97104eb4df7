// The probe that an arm treats the benchmark as it treats anybody: a published body under other
// names. Pure. Used by arm_check.h.
#pragma once

#include <string>
#include <vector>

#include "harness/request_body.h"
#include "harness/workload.h"

namespace tare::harness {

// The body of that task and index 0 with another model and call id, and with words of its question
// and tool output replaced by others, each as long as what it stands for. The tool stays: what a
// tool is called may rightly decide what becomes of its output.
Body disguised_body(const Task& task, Route route);

// By what share of the sent bytes the forwarded sizes of a body and its disguise may differ.
inline constexpr double disguise_tolerance = 0.02;

// Header lines in place of the client's usual ones.
std::vector<std::string> disguised_headers();

}  // namespace tare::harness
