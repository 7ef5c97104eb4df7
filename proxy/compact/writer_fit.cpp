#include "proxy/compact/writer_fit.h"

#include <algorithm>

#include "proxy/compact/chars.h"
#include "proxy/compact/writer_law.h"
#include "proxy/compact/writer_outliers.h"

namespace tare::compact {
namespace {

constexpr std::size_t min_rows = 3;
constexpr int max_rounds = 6;
constexpr std::size_t min_rows_with_outliers = 4;
constexpr std::size_t max_parts = 16;
constexpr Cost min_suffix_cost = 1500;

// Letters, digits and the rest: a value is never cut inside a run of letters or digits.
int run_kind(char c) {
  switch (char_class(c)) {
    case Char::digit:
      return 1;
    case Char::upper:
    case Char::lower:
    case Char::high:
      return 2;
    default:
      return 0;
  }
}

// How many bytes all values have in common at their beginning, at a place where a value may be cut.
std::size_t common_prefix(std::span<const std::string_view> values) {
  const std::string_view first = values[0];
  std::size_t common = first.size();
  for (const std::string_view value : values) {
    const std::size_t limit = std::min(common, value.size());
    std::size_t i = 0;
    while (i < limit && value[i] == first[i]) ++i;
    common = i;
    if (common == 0) return 0;
  }
  const int kind = run_kind(first[common - 1]);
  const bool cuts_run =
      kind != 0 && std::any_of(values.begin(), values.end(), [&](std::string_view v) {
        return v.size() > common && run_kind(v[common]) == kind;
      });
  if (cuts_run) {
    while (common > 0 && run_kind(first[common - 1]) == kind) --common;
  }
  return common;
}

// The same at the end, leaving the first `prefix` bytes alone.
std::size_t common_suffix(std::span<const std::string_view> values, std::size_t prefix) {
  const std::string_view first = values[0].substr(prefix);
  const auto at = [](std::string_view v, std::size_t i) { return v[v.size() - 1 - i]; };
  std::size_t common = first.size();
  for (const std::string_view value : values) {
    const std::size_t limit = std::min(common, value.size() - prefix);
    std::size_t i = 0;
    while (i < limit && at(value, i) == at(first, i)) ++i;
    common = i;
    if (common == 0) return 0;
  }
  const int kind = run_kind(at(first, common - 1));
  const bool cuts_run =
      kind != 0 && std::any_of(values.begin(), values.end(), [&](std::string_view v) {
        return v.size() - prefix > common && run_kind(at(v, common)) == kind;
      });
  if (cuts_run) {
    while (common > 0 && run_kind(at(first, common - 1)) == kind) --common;
  }
  return common;
}

// How long the run of letters and digits is that `text` begins with.
std::size_t alphanumeric_bytes(std::string_view text) {
  std::size_t bytes = 0;
  while (bytes < text.size() && is_alphanumeric(text[bytes])) ++bytes;
  return bytes;
}

// The value is runs of letters and digits with these texts in front, between and behind.
bool has_gaps(std::string_view value, std::span<const std::string_view> gaps) {
  for (const std::string_view gap : gaps.first(gaps.size() - 1)) {
    if (!value.starts_with(gap)) return false;
    value.remove_prefix(gap.size());
    const std::size_t bytes = alphanumeric_bytes(value);
    if (bytes == 0) return false;
    value.remove_prefix(bytes);
  }
  return value == gaps.back();
}

bool all_equal(std::span<const std::string_view> values) {
  return std::all_of(values.begin(), values.end(),
                     [&](std::string_view v) { return same_text(v, values[0]); });
}

// What headings, labels and ranges cost for instances at these records.
Cost placing_cost(std::span<const std::uint32_t> rows, bool open) {
  Cost cost = 0;
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t end = i + 1;
    while (end < rows.size() && rows[end] == rows[end - 1] + 1) ++end;
    const auto length = static_cast<Cost>(end - i);
    cost += open ? std::min<Cost>(2200 * length, 5 * token) : (length == 1 ? 3 : 7) * token;
    i = end;
  }
  return cost;
}

}  // namespace

const Template* Fitter::fit(const Columns& columns, std::span<const std::uint32_t> rows) {
  shape_.rows.assign(rows.begin(), rows.end());
  for (int round = 0; shape_.rows.size() >= min_rows; ++round) {
    const bool more = round < max_rounds;
    const Outcome outcome = fit_columns(columns, true);
    if (outcome == Outcome::failed) break;
    if (outcome == Outcome::rows_left || (more && drop_outliers())) {
      if (!more) break;
      continue;
    }
    // A row under a heading does not show its number: laws are for templates without open slots.
    if (shape_.slots > 0 && has_law_) fit_columns(columns, false);
    if (!drop_lone_quotes()) return finish();
    if (!more) break;
  }
  return nullptr;
}

const Template* Fitter::fit_prefix(std::size_t prefix, std::span<const std::uint32_t> rows) {
  shape_.rows.assign(rows.begin(), rows.end());
  begin(false);
  column_.resize(shape_.rows.size());
  for (std::size_t row = 0; row < column_.size(); ++row)
    column_[row] = records_[shape_.rows[row]].substr(prefix);
  std::size_t suffix = common_suffix(column_, 0);
  if (estimate(column_[0].substr(column_[0].size() - suffix)) < min_suffix_cost) suffix = 0;
  for (std::string_view& value : column_) value.remove_suffix(suffix);
  add_open(column_);
  return finish();
}

void Fitter::begin(bool laws_allowed) {
  holes().clear();
  shape_.values.clear();
  shape_.slots = 0;
  has_law_ = false;
  laws_allowed_ = laws_ && laws_allowed;
  numbers_.clear();
  if (!laws_allowed_) return;
  for (const std::uint32_t row : shape_.rows) numbers_.push_back(line_numbers_[row]);
}

Fitter::Outcome Fitter::fit_columns(const Columns& columns, bool laws_allowed) {
  begin(laws_allowed);
  const std::uint32_t twin = twins_[shape_.rows[0]];
  all_twins_ =
      std::ranges::all_of(shape_.rows, [&](std::uint32_t row) { return twins_[row] == twin; });
  for (std::size_t c = 0; c < columns.count; ++c) {
    std::uint32_t width = 0;
    if (columns.aligned) {
      const Outcome outcome = fit_gap(columns, c, width);
      if (outcome != Outcome::fitted) return outcome;
    }
    if (width == 0 && constant(columns, c)) continue;
    column_.resize(shape_.rows.size());
    for (std::size_t row = 0; row < column_.size(); ++row)
      column_[row] = columns.value(shape_.rows[row], c);
    if (width == 0) {
      fit_values(column_, true);
    } else {
      const char* line = records_[shape_.rows[0]].data();
      const char* value = column_[0].data();
      const std::size_t length = count_characters(column_[0]);
      const std::size_t blanks = width > length ? width - length : 0;
      fit_right_aligned(
          column_, width,
          static_cast<std::uint32_t>(value - line - static_cast<std::ptrdiff_t>(blanks)));
    }
  }
  return Outcome::fitted;
}

bool Fitter::constant(const Columns& columns, std::size_t column) const {
  const std::string_view first = columns.value(shape_.rows[0], column);
  if (all_twins_ && std::ranges::none_of(first, is_digit)) return true;
  return std::all_of(shape_.rows.begin(), shape_.rows.end(), [&](std::uint32_t row) {
    return same_text(columns.value(row, column), first);
  });
}

// `whole`: the values are a column and may be taken apart once more. What they have in common is
// cut off them.
void Fitter::fit_values(std::span<std::string_view> values, bool whole) {
  const std::size_t prefix = common_prefix(values);
  const std::size_t suffix = common_suffix(values, prefix);
  for (std::string_view& value : values)
    value = value.substr(prefix, value.size() - prefix - suffix);
  if (fit_law(values)) return;
  std::uint32_t slot = 0;
  if (whole && !find_equal_slot(values, slot) && fit_parts(values)) return;
  add_open(values);
}

bool Fitter::fit_law(std::span<const std::string_view> values) {
  if (!laws_allowed_) return false;
  for (const Law* law : laws()) {
    if (law->fit(values, numbers_, text_)) {
      has_law_ = true;
      add_hole(values[0], Hole::Kind::law, text_);
      return true;
    }
  }
  return false;
}

bool Fitter::find_equal_slot(std::span<const std::string_view> values, std::uint32_t& slot) const {
  for (slot = 0; slot < shape_.slots; ++slot) {
    std::size_t row = 0;
    while (row < values.size() && shape_.value(slot, row) == values[row]) ++row;
    if (row == values.size()) return true;
  }
  return false;
}

// An open slot, or an earlier one with the same values once more.
void Fitter::add_open(std::span<const std::string_view> values) {
  std::uint32_t slot = 0;
  add_hole(values[0], Hole::Kind::open, {});
  if (!find_equal_slot(values, slot)) {
    ++shape_.slots;
    shape_.values.reserve(shape_.values.size() + values.size());
    for (std::size_t row = 0; row < values.size(); ++row)
      shape_.values.push_back(Part::of(records_[shape_.rows[row]], values[row]));
  }
  holes().back().slot = slot;
}

// Takes values of the same punctuation apart into runs of letters and digits; worth it when a run
// needs no slot.
bool Fitter::fit_parts(std::span<const std::string_view> values) {
  const std::string_view first = values[0];
  std::string_view gaps[max_parts + 1];
  std::size_t count = 0;
  std::size_t at = 0;
  for (;;) {
    std::size_t begin = at;
    while (begin < first.size() && !is_alphanumeric(first[begin])) ++begin;
    gaps[count] = first.substr(at, begin - at);
    if (begin == first.size()) break;
    if (count == max_parts) return false;
    at = begin + alphanumeric_bytes(first.substr(begin));
    ++count;
  }
  if (count < 2) return false;
  if (!std::ranges::all_of(values, [&](std::string_view value) {
        return has_gaps(value, std::span(gaps).first(count + 1));
      }))
    return false;
  const std::size_t hole_count = holes().size();
  const std::size_t value_count = shape_.values.size();
  const std::uint32_t slots = shape_.slots;
  const bool has_law = has_law_;
  part_.resize(values.size());
  part_ends_.assign(values.size(), 0);
  for (std::size_t part = 0; part < count; ++part) {
    for (std::size_t row = 0; row < values.size(); ++row) {
      const std::size_t begin = part_ends_[row] + gaps[part].size();
      const std::size_t length = alphanumeric_bytes(values[row].substr(begin));
      part_[row] = values[row].substr(begin, length);
      part_ends_[row] = static_cast<std::uint32_t>(begin + length);
    }
    if (!all_equal(part_)) fit_values(part_, false);
  }
  if (shape_.slots - slots < count) return true;
  holes().resize(hole_count);
  shape_.values.truncate(value_count);
  shape_.slots = slots;
  has_law_ = has_law;
  return false;
}

void Fitter::add_hole(std::string_view leader_value, Hole::Kind kind, std::string text) {
  const auto begin =
      static_cast<std::uint32_t>(leader_value.data() - records_[shape_.rows[0]].data());
  const auto end = begin + static_cast<std::uint32_t>(leader_value.size());
  holes().push_back({begin, end, kind, 0, 0, std::move(text)});
}

// True when rows left: the columns must be fitted again.
bool Fitter::drop_outliers() {
  if (shape_.slots == 0 || shape_.rows.size() < min_rows_with_outliers) return false;
  marked_.assign(shape_.rows.size(), false);
  for (std::size_t slot = 0; slot < shape_.slots; ++slot) {
    column_.resize(shape_.rows.size());
    for (std::size_t row = 0; row < column_.size(); ++row) column_[row] = shape_.value(slot, row);
    mark_outliers(column_, marked_);
  }
  const auto marked = static_cast<std::size_t>(std::count(marked_.begin(), marked_.end(), true));
  const std::size_t most = std::max<std::size_t>(1, shape_.rows.size() / 5);
  if (marked == 0 || marked > most || shape_.rows.size() - marked < min_rows) return false;
  return drop_marked();
}

// A lone quote among several values of a row would be read as "the same as above".
bool Fitter::drop_lone_quotes() {
  if (shape_.slots < 2) return false;
  marked_.assign(shape_.rows.size(), false);
  for (std::size_t slot = 0; slot < shape_.slots; ++slot) {
    for (std::size_t row = 0; row < shape_.rows.size(); ++row) {
      if (shape_.value(slot, row) == "\"") marked_[row] = true;
    }
  }
  return drop_marked();
}

bool Fitter::drop_marked() {
  std::size_t kept = 0;
  for (std::size_t row = 0; row < shape_.rows.size(); ++row) {
    if (!marked_[row]) shape_.rows[kept++] = shape_.rows[row];
  }
  if (kept == shape_.rows.size()) return false;
  shape_.rows.resize(kept);
  return true;
}

const Template* Fitter::finish() {
  shape_.lines[0].leader = records_[shape_.rows[0]];
  shape_.separator = choose_separator(shape_);
  if (shape_.separator.data() == nullptr) return nullptr;
  text_.clear();
  append_line(text_, shape_.lines[0], {"{", "}"});
  Cost cost = line_cost(estimate(text_)) + (shape_.slots > 0 ? 5 : 4) * token +
              (shape_.slots > 1 ? 2 * token * shape_.slots : 0);
  cost += placing_cost(shape_.rows, shape_.slots > 0);
  Cost saved = 0;
  for (std::size_t row = 0; row < shape_.rows.size(); ++row) {
    saved += costs_[shape_.rows[row]];
    if (shape_.slots == 0) continue;
    text_.clear();
    append_row(text_, shape_, row);
    cost += line_cost(estimate(text_) + token);
  }
  shape_.gain = saved - cost;
  return &shape_;
}

}  // namespace tare::compact
