// Chooses among overlapping candidates: each record goes to one template at most.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "proxy/compact/writer_fit.h"

namespace tare::compact {

// Templates that come from one way to see some records, and so do not overlap. They may be without
// their values.
struct Family {
  std::vector<Template> templates;
  Columns columns;
  std::optional<std::uint32_t> prefix;  // instead of columns: the bytes in common
};

// Takes families in the order of what they gain (`together`), or single templates; one that lost
// records to those taken before is fitted to the rest and waits its turn again, a few times.
std::vector<Template> cover(Fitter& fitter, std::span<const Family> families, bool together);

}  // namespace tare::compact
