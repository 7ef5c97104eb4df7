#include "proxy/compact/writer_ditto.h"

#include "proxy/compact/cost.h"

namespace tare::compact {
namespace {

constexpr std::uint32_t max_marks = 7;
constexpr Cost min_value_cost = 1250;

}  // namespace

bool DittoRows::append(std::string& out, const Template& shape, std::size_t row, bool goes_on) {
  const bool may_mark = goes_on && shape.slots > 1;
  if (!may_mark) marks_.assign(shape.slots, 0);
  bool any = false;
  for (std::size_t slot = 0; slot < shape.slots; ++slot) {
    if (slot > 0) out += shape.separator;
    const std::string_view value = shape.value(slot, row);
    const bool mark = may_mark && marks_[slot] < max_marks && value == shape.value(slot, above_) &&
                      estimate(value) > min_value_cost;
    marks_[slot] = mark ? marks_[slot] + 1 : 0;
    out += mark ? "\"" : value;
    any = any || mark;
  }
  above_ = row;
  return any;
}

}  // namespace tare::compact
