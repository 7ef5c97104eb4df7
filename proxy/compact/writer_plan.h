// The order in which a text is told: each record verbatim, as an instance of a template, or in a
// repeat; and under which heading.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "proxy/compact/writer_repeat.h"
#include "proxy/compact/writer_template.h"

namespace tare::compact {

inline constexpr std::uint32_t no_template = UINT32_MAX;

struct Item {
  enum class Kind : std::uint8_t { verbatim, instance, repeat };
  Kind kind = Kind::verbatim;
  std::uint32_t record = 0;           // the first record it stands for
  std::uint32_t shape = no_template;  // instance: its template
  std::uint32_t index = 0;  // instance: its row in the template; repeat: its place in the repeats
  std::uint32_t heading = no_template;  // the template whose rows are written bare here
};

struct Plan {
  std::vector<Template> templates;
  std::vector<Repeat> repeats;
  std::vector<Item> items;
};

// The items of `record_count` records, in order, under the headings that cost least.
Plan make_plan(std::size_t record_count, std::vector<Template> templates,
               std::vector<Repeat> repeats);

}  // namespace tare::compact
