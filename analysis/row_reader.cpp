#include "analysis/row_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "common/files.h"
#include "common/zstd_stream.h"

namespace tare::analysis {

using nlohmann::json;

void FewWarnings::add(std::string warning) {
  if (++count_ <= most_named) warnings_.push_back(std::move(warning));
}

void FewWarnings::end(std::string_view name, std::string_view of) {
  if (count_ <= most_named) return;
  warnings_.push_back(
      fmt::format("{}: {} {} in all: the first {} are named", name, count_, of, most_named));
}

bool RowReader::there(std::string_view name) const {
  std::error_code ignored;
  return std::filesystem::exists(std::filesystem::symlink_status(folder_ / name, ignored));
}

void RowReader::read(const std::string& name, const Take& take, Repeated repeated) {
  if (!there(name)) {
    lost(fmt::format("{}: it is not there", name));
    return;
  }
  std::size_t number = 0;
  FewWarnings left_out(warnings_);
  std::unordered_set<std::string> seen;
  const auto fault_of = [&](std::string_view line, bool last) -> std::string {
    const bool fresh = repeated == Repeated::taken || seen.emplace(line).second;
    return fresh ? take(line, number, last) : "the same as an earlier line";
  };
  const auto lines = [&](std::string_view text) {
    for (std::size_t begin = 0; begin < text.size();) {
      const auto end = std::min(text.find('\n', begin), text.size());
      ++number;
      const auto line = text.substr(begin, end - begin);
      begin = end + 1;
      if (line.empty()) continue;
      const std::string fault = fault_of(line, end == text.size());
      if (!fault.empty()) {
        left_out.add(fmt::format("{}, line {}: {}: left out", name, number, fault));
      }
    }
  };
  name.ends_with(".zst") ? read_frames(name, lines) : read_text(name, lines);
  left_out.end(name, "rows left out");
}

json RowReader::parse_line(std::string_view line, bool last, std::string& fault) {
  json object = json::parse(line, nullptr, false);
  if (object.is_discarded()) fault = last ? "it breaks off" : "it is not JSON";
  return object;
}

bool RowReader::blamed(std::string_view name) const {
  return std::ranges::any_of(warnings_,
                             [&](const auto& warning) { return warning.starts_with(name); });
}

void RowReader::expect_rows(const char* name, std::size_t found, std::size_t expected) {
  if (found == expected || blamed(name)) return;
  lost(fmt::format("{}: {} rows, but the run wrote {}", name, found, expected));
}

void RowReader::read_text(const std::string& name, const Lines& lines) {
  const auto text = read_file(folder_ / name);
  if (text) {
    lines(*text);
  } else {
    lost(without_folder(text.error().message));
  }
}

void RowReader::read_frames(const std::string& name, const Lines& lines) {
  // A line may go on in the next frame: harnesses end frames with lines, other programs need not.
  std::string begun;
  const auto damages = zstd_read_frames(folder_ / name, [&](std::string_view content) {
    const auto end = content.rfind('\n');
    if (begun.empty() && end + 1 == content.size()) {
      lines(content);
      return;
    }
    begun += content;
    const auto whole = begun.rfind('\n');
    if (whole == std::string::npos) return;
    lines(std::string_view(begun).substr(0, whole + 1));
    begun.erase(0, whole + 1);
  });
  if (!begun.empty()) lines(begun);
  if (!damages) {
    lost(without_folder(damages.error().message));
    return;
  }
  FewWarnings stretches(warnings_);
  for (const auto& damage : *damages) {
    stretches.add(
        fmt::format("{}: damaged or cut at byte {} of {}, up to byte {}: what is whole is used",
                    name, damage.begin, damage.file_size, damage.end));
  }
  stretches.end(name, "damaged stretches");
}

// Messages of lower layers begin with the whole path; a report must not name the machine's.
std::string RowReader::without_folder(std::string message) const {
  const std::string prefix = (folder_ / "").string();
  if (message.starts_with(prefix)) message.erase(0, prefix.size());
  return message;
}

}  // namespace tare::analysis
