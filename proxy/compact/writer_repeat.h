// Exact repeats: stretches of records that say again the records before them, a block of records
// told earlier, or lines of an earlier output.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "proxy/compact/cost.h"
#include "proxy/compact/writer_reference.h"

namespace tare::compact {

struct Repeat {  // the `period` records before it, `times` more
  std::uint32_t record = 0;
  std::uint32_t period = 0;
  std::uint32_t times = 0;

  std::uint32_t length() const { return period * times; }
};

struct Copy {  // the `length` records from `source`
  std::uint32_t record = 0;
  std::uint32_t source = 0;
  std::uint32_t length = 0;
};

struct Repeats {
  std::vector<Repeat> runs;  // by record
  std::vector<Copy>
      copies;  // by record; sources do not overlap, and all copies of one have its length

  std::vector<Reference> references;  // by record

  bool empty() const { return runs.empty() && copies.empty() && references.empty(); }
  // Which of `count` records are told by a repeat.
  std::vector<bool> told(std::size_t count) const;
};

// Runs of periods up to 12, and blocks of two records or more, that are worth their marks; disjoint
// with each other and with `references`. Linear in the records.
// Without `blocks` only runs and the references.
Repeats find_repeats(std::span<const std::string_view> records, std::span<const LineCost> costs,
                     std::vector<Reference> references, bool blocks, const std::stop_token& stop);

}  // namespace tare::compact
