// Where a program stands that is named as in a shell: by its path when the name holds a '/', else
// in the folders of PATH, in order.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tare {

// PATH where none is set.
inline constexpr const char* usual_path = "/usr/local/bin:/usr/bin:/bin";

// PATH of this process, or the usual one.
std::string path_variable();

// What may be tried for `program`, in order. Nothing of it need be there.
std::vector<std::string> program_candidates(std::string_view program, std::string_view path);

// The first candidate in PATH of this process that is a file that may be executed.
std::optional<std::filesystem::path> find_program(std::string_view program);

}  // namespace tare
