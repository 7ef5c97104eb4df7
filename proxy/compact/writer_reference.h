// References: stretches of lines that an earlier output of the same request holds as well.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/compact/cost.h"
#include "proxy/compact/earlier.h"

namespace tare::compact {

struct Reference {  // `length` records, the lines from `first` (from 0) of an earlier output
  std::uint32_t record = 0;
  std::uint32_t length = 0;
  std::uint32_t output = 0;
  std::uint32_t first = 0;
  bool whole = false;  // all lines of the output
};

// References worth their marks when all else would be verbatim; disjoint, by record. Linear.
std::vector<Reference> find_references(std::span<const std::string_view> lines,
                                       std::span<const LineCost> costs, const Earlier& earlier,
                                       const std::stop_token& stop);

// Keeps those that are shorter than what `told` says their lines cost otherwise.
void drop_unearned(std::vector<Reference>& references, std::span<const LineCost> told,
                   const Earlier& earlier);

// Appends what stands behind the mark: "@call_1", "@call_1 2-9", or "@ 2-9" when the reference
// before (null: none) is to the same output.
void append_reference(std::string& out, const Reference& reference, const Reference* before,
                      const Earlier& earlier);

}  // namespace tare::compact
