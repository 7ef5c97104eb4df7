// Chooses the templates of a text: which records go together, and which stay as they are.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "proxy/compact/cost.h"
#include "proxy/compact/writer_template.h"

namespace tare::compact {

struct MiningInput {
  std::span<const std::string_view> records;
  std::span<const LineCost> costs;  // of the records with their line ends
  const std::vector<bool>& skip;    // records that are not to be covered
  const std::vector<bool>& alert;   // records that only templates of three alerts or more may cover
  std::span<const std::uint32_t> twins;    // of the records (writer_twins.h)
  bool laws = true;                        // values may be told by the line number
  std::span<const std::uint32_t> numbers;  // of the records' lines, from 1; for laws
  const std::stop_token& stop;
  bool sampled = false;  // not all of a text: nothing is drawn from neighbours
};

// Sets of templates, one or two to choose from; in each a record is in
// one template at most.
std::vector<std::vector<Template>> mine(const MiningInput& input);

}  // namespace tare::compact
