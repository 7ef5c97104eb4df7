#include "proxy/compact/chars.h"

#include <bit>
#include <cstring>

namespace tare::compact {
namespace {

// The bytes of the character that begins with the lead byte, which is not ASCII; 1 when the
// sequence is malformed (cut, overlong, a surrogate, beyond the last code point).
std::size_t sequence_bytes(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = at(0);
  const std::size_t bytes = lead < 0xC2 || lead > 0xF4 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (text.size() < bytes) return 1;
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((at(i) & 0xC0U) != 0x80) return 1;
  }
  if (bytes < 3) return bytes;
  const unsigned first_bits = lead << 8 | at(1);
  const bool malformed = first_bits < 0xE0A0 || (first_bits >= 0xEDA0 && first_bits < 0xEE80) ||
                         (first_bits >= 0xF080 && first_bits < 0xF090) || first_bits > 0xF48F;
  return malformed ? 1 : bytes;
}

}  // namespace

std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  while (!text.empty()) {
    const bool ascii = (static_cast<unsigned char>(text[0]) & 0x80U) == 0;
    text.remove_prefix(ascii ? 1 : sequence_bytes(text));
    ++count;
  }
  return count;
}

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
