// Chooses the templates of a text: which records go together, and which stay as they are.
#pragma once

#include <vector>

#include "proxy/compact/writer_input.h"
#include "proxy/compact/writer_template.h"

namespace tare::compact {

// Sets of templates, one or two to choose from; in each a record is in one template at most.
std::vector<std::vector<Template>> mine(const MiningInput& input);

}  // namespace tare::compact
