#include "proxy/compact/writer_twins.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "proxy/compact/chars.h"

namespace tare::compact {
namespace {

// Kinds of records of such a length: those that take turns each keep their own.
constexpr std::size_t looked_at = 2;

// The high bit of each byte of the word that is not a digit.
std::uint64_t not_digits(std::uint64_t word) {
  const std::uint64_t value = word ^ each_byte('0');  // of a digit: 0 to 9
  return (((value & ~high_bits) + each_byte(0x80 - 10)) | value) & high_bits;
}

// The high bit of each byte that is not zero.
std::uint64_t not_zero(std::uint64_t word) {
  return (((word & ~high_bits) + ~high_bits) | word) & high_bits;
}

bool are_twins(std::uint64_t a, std::uint64_t b) {
  return a == b || (not_zero(a ^ b) & (not_digits(a) | not_digits(b))) == 0;
}

bool is_twin(char a, char b) {
  return a == b || (is_digit(a) && is_digit(b));
}

}  // namespace

bool are_twins(std::string_view a, std::string_view b) {
  const std::size_t size = a.size();
  if (b.size() != size) return false;
  if (size < word_bytes) {
    for (std::size_t i = 0; i < size; ++i) {
      if (!is_twin(a[i], b[i])) return false;
    }
    return true;
  }
  const auto same_at = [&](std::size_t at) {
    return are_twins(word_at(a.data() + at), word_at(b.data() + at));
  };
  for (std::size_t at = 0; at + word_bytes < size; at += word_bytes) {
    if (!same_at(at)) return false;
  }
  return same_at(size - word_bytes);
}

std::vector<std::uint32_t> find_twins(std::span<const std::string_view> records,
                                      const std::stop_token& stop) {
  static constexpr std::uint32_t none = UINT32_MAX;
  std::array<std::array<std::uint32_t, looked_at>, 64> by_length;  // the newest first
  for (auto& last : by_length) last.fill(none);
  std::vector<std::uint32_t> twins(records.size());
  for (std::uint32_t i = 0; i < records.size(); ++i) {
    twins[i] = i;
    if (stop.stop_requested()) continue;
    auto& last = by_length[records[i].size() % by_length.size()];
    auto twin = std::ranges::find_if(last, [&](std::uint32_t before) {
      return before != none && are_twins(records[before], records[i]);
    });
    if (twin == last.end()) {
      *--twin = i;
    } else {
      twins[i] = *twin;
    }
    std::rotate(last.begin(), twin, twin + 1);
  }
  return twins;
}

}  // namespace tare::compact
