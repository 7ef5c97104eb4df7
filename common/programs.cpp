#include "common/programs.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace tare {

std::string path_variable() {
  const char* path = std::getenv("PATH");
  return path != nullptr ? path : usual_path;
}

std::vector<std::string> program_candidates(std::string_view program, std::string_view path) {
  if (program.find('/') != std::string_view::npos) return {std::string(program)};
  std::vector<std::string> candidates;
  for (std::size_t begin = 0; begin <= path.size();) {
    const auto end = std::min(path.find(':', begin), path.size());
    candidates.push_back(std::string(path.substr(begin, end - begin)) + "/" + std::string(program));
    begin = end + 1;
  }
  return candidates;
}

std::optional<std::filesystem::path> find_program(std::string_view program) {
  std::error_code ignored;
  for (const auto& candidate : program_candidates(program, path_variable())) {
    if (std::filesystem::is_regular_file(candidate, ignored) &&
        ::access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
  }
  return std::nullopt;
}

}  // namespace tare
