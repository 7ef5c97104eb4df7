#include "proxy/compact/writer_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace tare::compact {
namespace {

constexpr std::array<std::string_view, 7> separators{" ", ",", "|", ";", "\t", " | ", " ; "};

bool separates(const Template& shape, std::string_view separator) {
  for (std::size_t slot = 0; slot < shape.slots; ++slot) {
    for (std::size_t row = 0; row < shape.rows.size(); ++row) {
      if (!may_stand(shape.value(slot, row), separator, slot + 1 == shape.slots)) return false;
    }
  }
  return true;
}

}  // namespace

void append_line(std::string& out, const TemplateLine& line, const Brackets& brackets) {
  std::size_t at = 0;
  for (const Hole& hole : line.holes) {
    out += line.leader.substr(at, hole.begin - at);
    at = hole.end;
    if (hole.kind == Hole::Kind::fixed) {
      out += hole.text;
      continue;
    }
    out += brackets.open;
    if (hole.kind == Hole::Kind::open) {
      fmt::format_to(std::back_inserter(out), "{}", hole.slot + 1);
      if (hole.width > 0) fmt::format_to(std::back_inserter(out), ",{}", hole.width);
    } else {
      out += hole.text;
    }
    out += brackets.close;
  }
  out += line.leader.substr(at);
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
  return std::any_of(shape.lines.begin(), shape.lines.end(), [&](const TemplateLine& line) {
    std::string fixed;
    std::size_t at = 0;
    for (const Hole& hole : line.holes) {
      fixed += line.leader.substr(at, hole.begin - at);
      fixed += hole.kind == Hole::Kind::fixed ? hole.text : "\n";
      at = hole.end;
    }
    fixed += line.leader.substr(at);
    return fixed.find(text) != std::string::npos;
  });
}

bool may_stand(std::string_view value, std::string_view separator, bool last) {
  if (!last && value.find(separator) != std::string_view::npos) return false;
  if (separator[0] != ' ') return true;
  if (value.empty()) return separator.size() > 1;
  if (last && separator.size() == 1) return true;  // nothing is cut any more
  return value.front() != ' ' && value.back() != ' ';
}

std::string_view choose_separator(const Template& shape) {
  if (shape.slots < 2) return "";
  const auto fits = std::find_if(separators.begin(), separators.end(),
                                 [&](std::string_view s) { return separates(shape, s); });
  return fits == separators.end() ? std::string_view() : *fits;
}

}  // namespace tare::compact
