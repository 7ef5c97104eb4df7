// The order in which a text is told: each record verbatim, as part of an instance of a template, or
// by a repeat; and under which heading.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "proxy/compact/cost.h"
#include "proxy/compact/writer_repeat.h"
#include "proxy/compact/writer_template.h"

namespace tare::compact {

inline constexpr std::uint32_t no_template = UINT32_MAX;

struct Item {
  enum class Kind : std::uint8_t {
    verbatim,
    instance,
    run,
    copy,
    block_begin,
    block_end,
    reference
  };

  Kind kind = Kind::verbatim;
  std::uint32_t record = 0;           // the first record it stands for
  std::uint32_t shape = no_template;  // instance: its template
  std::uint32_t index = 0;  // instance: its row in the template; run, reference: its place in the
                            // repeats; copy, block: the source of the block
  std::uint32_t heading = no_template;  // the template whose rows are written bare here
};

struct Plan {
  std::vector<Template> templates;
  Repeats repeats;
  std::vector<Item> items;
};

// The items of `record_count` records in order, all under no heading.
Plan make_plan(std::size_t record_count, std::vector<Template> templates, const Repeats& repeats,
               const std::stop_token& stop);

// About what the plan writes for each record; what tells several counts at the first.
std::vector<LineCost> told_costs(const Plan& plan, std::span<const LineCost> costs);

// Which of its templates the plan uses.
std::vector<bool> templates_used(const Plan& plan);

// About what the legend takes for the template.
Cost definition_cost(const Template& shape);

// Templates that do not earn their definitions go back to verbatim records. `costs` are those of
// the records with their line ends.
void drop_unearned(Plan& plan, std::span<const LineCost> costs, const std::stop_token& stop);

}  // namespace tare::compact
