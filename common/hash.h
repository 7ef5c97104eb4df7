// SHA-256, in lower-case hex. May be used from several threads at once.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "common/error.h"

namespace tare {

std::array<std::uint8_t, 32> sha256(std::string_view bytes);
std::string sha256_hex(std::string_view bytes);
Result<std::string> sha256_hex_of_file(const std::filesystem::path& path);

}  // namespace tare
