#include "common/hash.h"

#include <openssl/sha.h>

#include "common/files.h"

namespace tare {

std::array<std::uint8_t, 32> sha256(std::string_view bytes) {
  std::array<std::uint8_t, 32> digest;
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  return digest;
}

std::string sha256_hex(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string hex;
  hex.reserve(64);
  for (const auto byte : sha256(bytes)) {
    hex += digits[byte >> 4];
    hex += digits[byte & 15];
  }
  return hex;
}

Result<std::string> sha256_hex_of_file(const std::filesystem::path& path) {
  const auto text = read_file(path);
  if (!text) return fail(text.error());
  return sha256_hex(*text);
}

}  // namespace tare
