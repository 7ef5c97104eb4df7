// Whole files in and out, with errors that name the path. May be used from several threads at once.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "common/error.h"

namespace tare {

Result<std::string> read_file(const std::filesystem::path& path);

// Writes beside `path`, syncs and renames: a reader sees the old text or the new one, never a part.
// What is no file (a device, a pipe, a link to one such as /dev/stdout) is written to, not
// replaced.
Result<void> write_file(const std::filesystem::path& path, std::string_view text);

// The same without the sync: whole after a crash of the program, not after one of the machine. For
// many small files.
Result<void> write_file_unsynced(const std::filesystem::path& path, std::string_view text);

Result<void> make_directories(const std::filesystem::path& path);

// A new, empty folder under the system's temporary folder; the caller removes it.
Result<std::filesystem::path> make_temporary_directory(std::string_view prefix);

}  // namespace tare
