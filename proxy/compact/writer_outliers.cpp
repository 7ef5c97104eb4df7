#include "proxy/compact/writer_outliers.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "proxy/compact/chars.h"

namespace tare::compact {
namespace {

struct ByValue {
  static constexpr std::size_t one_in = 4;
  static bool same(std::string_view a, std::string_view b) { return same_text(a, b); }
  static std::uint64_t key(std::string_view value) { return hash_bytes(value); }
};

// A column of many shapes (hexadecimal numbers) has no usual one, so few others are enough to tell.
struct ByShape {
  static constexpr std::size_t one_in = 20;
  static bool same(std::string_view a, std::string_view b) {
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.size() && j < b.size()) {
      if (is_digit(a[i]) && is_digit(b[j])) {
        while (i < a.size() && is_digit(a[i])) ++i;
        while (j < b.size() && is_digit(b[j])) ++j;
      } else if (a[i++] != b[j++]) {
        return false;
      }
    }
    return i == a.size() && j == b.size();
  }
  static std::uint64_t key(std::string_view value) { return shape_key(value); }
};

// The value that more than half of all are like, if there is one.
template <typename By>
std::string_view majority(std::span<const std::string_view> values) {
  std::string_view candidate;
  std::size_t votes = 0;
  for (const std::string_view value : values) {
    if (votes == 0) candidate = value;
    if (By::same(value, candidate)) {
      ++votes;
    } else {
      --votes;
    }
  }
  return candidate;
}

template <typename By>
void mark(std::span<const std::string_view> values, std::vector<bool>& marks) {
  const std::string_view usual = majority<By>(values);
  std::vector<std::pair<std::uint64_t, std::size_t>> others;  // key, row
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (By::same(values[row], usual)) continue;
    others.emplace_back(By::key(values[row]), row);
    if (By::one_in * others.size() > values.size()) return;
  }
  std::sort(others.begin(), others.end());
  const std::size_t rare = std::max<std::size_t>(1, values.size() / 50);
  for (std::size_t i = 0; i < others.size();) {
    std::size_t end = i;
    while (end < others.size() && others[end].first == others[i].first) ++end;
    for (const bool is_rare = end - i <= rare; i < end; ++i) {
      if (is_rare) marks[others[i].second] = true;
    }
  }
}

}  // namespace

void mark_outliers(std::span<const std::string_view> values, std::vector<bool>& marks) {
  mark<ByValue>(values, marks);
  mark<ByShape>(values, marks);
}

}  // namespace tare::compact
