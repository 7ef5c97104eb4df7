// Settings of the machine that stand in small text files, below /proc and /sys mostly.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace tare::harness {

// The first line without its end; nothing when the file cannot be read.
std::optional<std::string> first_line_of(const std::filesystem::path& file);

// What is chosen in a file such as "always [madvise] never": "madvise".
std::optional<std::string> chosen_of(const std::filesystem::path& file);

}  // namespace tare::harness
