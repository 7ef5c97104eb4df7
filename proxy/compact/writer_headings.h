// Under which heading each item is written: rows of that template need no label, all else does.
#pragma once

#include <span>
#include <stop_token>

#include "proxy/compact/cost.h"
#include "proxy/compact/writer_plan.h"

namespace tare::compact {

// Sets the headings that cost least together. Without `labels`, rows that stand under another
// heading than their own become verbatim records again. `costs` are those of the records with their
// line ends.
void choose_headings(Plan& plan, std::span<const LineCost> costs, bool labels,
                     const std::stop_token& stop);

}  // namespace tare::compact
