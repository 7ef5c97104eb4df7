// Templates of several lines, from templates whose instances are often neighbours.
#pragma once

#include <stop_token>

#include "proxy/compact/writer_plan.h"

namespace tare::compact {

// Joins the pair of templates that gains most, again and again up to a bound; equal slots become
// one. False when there was none to join.
bool merge_neighbours(Plan& plan, const std::stop_token& stop);

}  // namespace tare::compact
