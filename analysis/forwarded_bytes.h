// What two arms forwarded of the same bodies. Pure.
#pragma once

#include <cstddef>

#include "analysis/run_index.h"

namespace tare::analysis {

struct ComparedBytes {
  std::size_t bodies = 0;  // distinct ones that both forwarded, measured
  double subject = 0;      // mean of what was forwarded of each
  double reference = 0;
  std::size_t varied = 0;  // bodies that an arm did not always forward at the same size
};

// Each body counts once, however often it was sent: slices of a fixed time hold more requests of a
// fast arm.
ComparedBytes compared_bytes(const IndexedRows& subject, const IndexedRows& reference);

}  // namespace tare::analysis
