// Chooses among overlapping candidates: each record goes to one template at most.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "proxy/compact/writer_fit.h"
#include "proxy/compact/writer_refine.h"

namespace tare::compact {

// Groups that come from one way to see some records, and so do not overlap.
struct Family {
  std::vector<Group> groups;
  Columns columns;
  std::optional<std::uint32_t> prefix;  // instead of columns: the bytes in common
};

// The templates of families in the order of what these gain (`together`), or of single groups; one
// that lost records to those taken before is fitted to the rest and waits its turn again, a few
// times.
std::vector<Template> cover(Fitter& fitter, std::span<const Family> families, bool together);

}  // namespace tare::compact
