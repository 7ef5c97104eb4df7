// What a plan tells how, in words and figures for a person.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "proxy/compact/cost.h"
#include "proxy/compact/writer_plan.h"

namespace tare::compact {

struct Piece {
  std::string what;
  std::size_t lines = 0;
  Cost before = 0;  // as lines of the text
  Cost after = 0;   // about what the form spends on them
};

// The pieces of a form, those that save most first, lines that stay as they are last. `costs` are
// those of the records with their line ends, `alerts` the records that look like failures.
std::vector<Piece> account_of(const Plan& plan, std::span<const LineCost> costs,
                              const std::vector<bool>& alerts, const Earlier* earlier);

// A table of the pieces: lines, tokens before and after, what it is.
std::string print_pieces(std::span<const Piece> pieces);

}  // namespace tare::compact
