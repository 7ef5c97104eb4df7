#include "proxy/compact/writer_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace tare::compact {
namespace {

constexpr std::array<std::string_view, 7> separators{" ", ",", "|", ";", "\t", " | ", " ; "};

bool separates(const Template& shape, std::string_view separator) {
  const bool blank = separator[0] == ' ';
  for (std::size_t slot = 0; slot < shape.slots; ++slot) {
    for (std::size_t row = 0; row < shape.rows.size(); ++row) {
      const std::string_view value = shape.value(slot, row);
      if (slot + 1 < shape.slots && value.find(separator) != std::string_view::npos) return false;
      if (!blank) continue;
      if (value.empty() ? separator.size() == 1 : value.front() == ' ' || value.back() == ' ')
        return false;
    }
  }
  return true;
}

}  // namespace

void append_template(std::string& out, const Template& shape, const Brackets& brackets) {
  std::size_t at = 0;
  for (const Hole& hole : shape.holes) {
    out += shape.leader.substr(at, hole.begin - at);
    out += brackets.open;
    if (hole.slot == Hole::law_slot) {
      out += hole.law;
    } else {
      fmt::format_to(std::back_inserter(out), "{}", hole.slot + 1);
    }
    out += brackets.close;
    at = hole.end;
  }
  out += shape.leader.substr(at);
}

void append_row(std::string& out, const Template& shape, std::size_t row) {
  for (std::size_t slot = 0; slot < shape.slots; ++slot) {
    if (slot > 0) out += shape.separator;
    out += shape.value(slot, row);
  }
}

void append_parameters(std::string& out, const Template& shape) {
  if (shape.slots < 2) return;
  for (std::uint32_t slot = 0; slot < shape.slots; ++slot) {
    out += slot == 0 ? "(" : shape.separator;
    fmt::format_to(std::back_inserter(out), "{}", slot + 1);
  }
  out += ')';
}

bool literal_contains(const Template& shape, std::string_view text) {
  std::size_t at = 0;
  const auto fixed = [&](std::size_t end) {
    return shape.leader.substr(at, end - at).find(text) != std::string_view::npos;
  };
  for (const Hole& hole : shape.holes) {
    if (fixed(hole.begin)) return true;
    at = hole.end;
  }
  return fixed(shape.leader.size());
}

std::string_view choose_separator(const Template& shape) {
  if (shape.slots < 2) return "";
  const auto fits = std::find_if(separators.begin(), separators.end(),
                                 [&](std::string_view s) { return separates(shape, s); });
  return fits == separators.end() ? std::string_view() : *fits;
}

}  // namespace tare::compact
