#include "analysis/run_sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "common/files.h"
#include "common/hash.h"

namespace tare::analysis {
namespace {

namespace fs = std::filesystem;

constexpr const char* sums_name = "SHA256SUMS";
constexpr std::array derived{"fidelity.jsonl", "scores.jsonl", "tokens.jsonl"};
constexpr std::array summed{"run.json",           "workload.jsonl.zst", "rounds.jsonl.zst",
                            "starts.jsonl.zst",   "groups.jsonl.zst",   "requests.jsonl.zst",
                            "upstream.jsonl.zst", "samples.jsonl.zst",  "retrieved.jsonl.zst",
                            "events.jsonl"};

using Sums = std::map<std::string, std::string>;  // file name -> SHA-256

constexpr std::size_t sum_digits = 64;
constexpr std::string_view between = "  ";
constexpr std::size_t name_at = sum_digits + between.size();

bool is_line(std::string_view line) {
  return line.size() > name_at && line.substr(sum_digits, between.size()) == between &&
         line.substr(0, sum_digits).find_first_not_of("0123456789abcdef") ==
             std::string_view::npos &&
         line.find('/') == std::string_view::npos;
}

Sums sums_in(std::string_view text, std::vector<std::string>& warnings) {
  Sums sums;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size());
    const auto line = text.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    if (is_line(line)) {
      sums[std::string(line.substr(name_at))] = line.substr(0, sum_digits);
    } else {
      warnings.push_back(fmt::format(
          "{}, line {}: expected a SHA-256 and the name of a file: left out", sums_name, number));
    }
  }
  return sums;
}

Result<void> add_sum(const fs::path& folder, const char* name, Sums& sums) {
  std::error_code ignored;
  sums.erase(name);
  if (!fs::exists(folder / name, ignored)) return {};
  auto sum = sha256_hex_of_file(folder / name);
  if (!sum) return fail(sum.error());
  sums[name] = std::move(*sum);
  return {};
}

Result<void> write(const fs::path& folder, const Sums& sums) {
  std::string text;
  for (const auto& [name, sum] : sums) text += fmt::format("{}  {}\n", sum, name);
  return write_file(folder / sums_name, text);
}

}  // namespace

bool is_derived(std::string_view name) {
  return std::ranges::find(derived, name) != derived.end();
}

Result<void> write_run_sums(const fs::path& run_folder) {
  Sums sums;
  for (const char* name : summed) {
    if (auto added = add_sum(run_folder, name, sums); !added) return added;
  }
  for (const char* name : derived) {
    if (auto added = add_sum(run_folder, name, sums); !added) return added;
  }
  return write(run_folder, sums);
}

Result<void> renew_derived_sums(const fs::path& run_folder) {
  Sums sums;
  if (const auto text = read_file(run_folder / sums_name)) {
    std::vector<std::string> left_out;
    sums = sums_in(*text, left_out);
  }
  for (const char* name : derived) {
    if (auto added = add_sum(run_folder, name, sums); !added) return added;
  }
  return write(run_folder, sums);
}

Result<void> remove_run_sums(const fs::path& run_folder) {
  std::error_code e;
  fs::remove(run_folder / sums_name, e);
  if (e) return fail(Error::io_errno((run_folder / sums_name).string(), e.value()));
  return {};
}

void check_run_sums(const fs::path& run_folder, std::vector<std::string>& warnings) {
  std::error_code ignored;
  if (!fs::exists(run_folder / sums_name, ignored)) return;
  const auto text = read_file(run_folder / sums_name);
  if (!text) {
    warnings.push_back(fmt::format("{}: it cannot be read", sums_name));
    return;
  }
  for (const auto& [name, sum] : sums_in(*text, warnings)) {
    const bool blamed = std::ranges::any_of(
        warnings, [&](const auto& warning) { return warning.starts_with(name); });
    if (blamed) continue;
    const auto now = sha256_hex_of_file(run_folder / name);
    if (!now) {
      warnings.push_back(fmt::format("{}: it cannot be read, or is not there", name));
    } else if (*now != sum) {
      warnings.push_back(fmt::format(
          "{}: not what {} says that it was: damaged, or changed by hand", name, sums_name));
    }
  }
}

}  // namespace tare::analysis
