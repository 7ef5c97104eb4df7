// Texts of more records than can be mined: templates are found on a fixed sample, then every record
// is held against them once, so the work on each record is small and the templates stay few.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "proxy/compact/writer_input.h"
#include "proxy/compact/writer_plan.h"
#include "proxy/compact/writer_records.h"

namespace tare::compact {

// More records to cover than these are mined on a sample of as many.
inline constexpr std::size_t max_mined = 2048;

// Stretches of neighbours, evenly spread over the records that are to be covered.
struct Sample {
  Records records;
  std::vector<LineCost> costs;
  std::vector<std::uint32_t> numbers;  // lines, from 1
  std::vector<bool> skip;              // none
  std::vector<bool> alert;
  std::vector<std::uint32_t> twins;

  // `text` is what `all` is of.
  Sample(const MiningInput& all, const Records& text);
  MiningInput input(bool laws, const std::stop_token& stop) const {
    return {records.lines, costs, skip, alert, twins, laws, numbers, stop, true};
  }
};

// The templates found on the sample, with all their instances among `all`; what is left may share
// prefixes with neighbours.
std::vector<Template> match_all(const MiningInput& all, std::span<const Template> found,
                                const Sample& sample, std::uint32_t first_line);

}  // namespace tare::compact
