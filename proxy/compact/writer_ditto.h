// Rows in which a value equal to the one right above it is written as a ditto mark.
//
// Used at level full. A value is written again at least every eighth row, so that what a mark
// stands for is near, and only where the mark is shorter than the value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proxy/compact/writer_template.h"

namespace tare::compact {

class DittoRows {
 public:
  // Appends a row; `goes_on` when the line above is the row of `shape` printed last. Returns true
  // when a mark was used.
  bool append(std::string& out, const Template& shape, std::size_t row, bool goes_on);

 private:
  std::size_t above_ = 0;             // the row printed last
  std::vector<std::uint32_t> marks_;  // of each slot: how many rows it has been a mark for
};

}  // namespace tare::compact
