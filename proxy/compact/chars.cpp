#include "proxy/compact/chars.h"

#include <bit>
#include <cstring>

namespace tare::compact {

std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t seed) {
  std::uint64_t hash = hash_step(seed, bytes.size());
  const char* p = bytes.data();
  std::size_t left = bytes.size();
  std::uint64_t word = 0;
  for (; left >= 8; left -= 8, p += 8) {
    std::memcpy(&word, p, 8);
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    hash = hash_step(hash, word);
  }
  word = 0;
  for (std::size_t i = 0; i < left; ++i) {
    word |= std::uint64_t{static_cast<unsigned char>(p[i])} << (8 * i);
  }
  return hash_step(hash, word);
}

std::uint64_t shape_key(std::string_view text) {
  std::uint64_t hash = text.empty() ? 0 : 1;
  bool digits = false;
  for (const char c : text) {
    if (is_digit(c)) {
      if (!digits) hash = hash_step(hash, '0');
      digits = true;
    } else {
      hash = hash_step(hash, static_cast<unsigned char>(c));
      digits = false;
    }
  }
  return hash;
}

}  // namespace tare::compact
