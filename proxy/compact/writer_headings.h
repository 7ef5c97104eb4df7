// Under which heading each item is written: rows of that template need no label, all else does.
#pragma once

#include "proxy/compact/writer_plan.h"

namespace tare::compact {

// Sets the headings that cost least together.
void choose_headings(Plan& plan);

}  // namespace tare::compact
