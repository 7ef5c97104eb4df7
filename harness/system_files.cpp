#include "harness/system_files.h"

#include "common/files.h"

namespace tare::harness {

std::optional<std::string> first_line_of(const std::filesystem::path& file) {
  const auto text = read_file(file);
  if (!text) return std::nullopt;
  return text->substr(0, text->find('\n'));
}

std::optional<std::string> chosen_of(const std::filesystem::path& file) {
  const auto line = first_line_of(file);
  if (!line) return std::nullopt;
  const auto begin = line->find('[');
  const auto end = line->find(']', begin);
  if (end == std::string::npos) return std::nullopt;
  return line->substr(begin + 1, end - begin - 1);
}

}  // namespace tare::harness
