// What templates are looked for in.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "proxy/compact/cost.h"

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

}  // namespace tare::compact
