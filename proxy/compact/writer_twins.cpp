#include "proxy/compact/writer_twins.h"

#include <array>
#include <cstddef>
#include <utility>

#include "proxy/compact/chars.h"

namespace tare::compact {
namespace {

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
  constexpr std::uint32_t none = UINT32_MAX;
  struct Last {  // a record of each of the two kinds seen last: those that take turns both stay
    std::uint32_t newest = none;
    std::uint32_t older = none;
  };
  std::array<Last, 64> by_length;
  std::vector<std::uint32_t> twins(records.size());
  for (std::uint32_t i = 0; i < records.size(); ++i) {
    twins[i] = i;
    if (stop.stop_requested()) continue;
    const auto is_twin_of = [&, i](std::uint32_t before) {
      return before < i && are_twins(records[before], records[i]);
    };
    auto& [newest, older] = by_length[records[i].size() % by_length.size()];
    if (!is_twin_of(newest)) {
      std::swap(newest, older);
      if (!is_twin_of(newest)) newest = i;
    }
    twins[i] = newest;
  }
  return twins;
}

}  // namespace tare::compact
