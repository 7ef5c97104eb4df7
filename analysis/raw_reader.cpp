#include "analysis/raw_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string_view>
#include <utility>

#include "analysis/fields.h"
#include "analysis/raw_rows.h"
#include "analysis/run_info.h"
#include "common/files.h"
#include "common/zstd_stream.h"

namespace tare::analysis {
namespace {

using nlohmann::json;

// Reads the lines of one raw file, frame by frame; memory does not grow with the file.
class Reader {
 public:
  explicit Reader(RawRun& run) : run_(run) {}

  // Calls `take(line, number, last)` for each line of a file that must be there in a complete run;
  // it returns what is wrong with the line, or nothing.
  template <typename Take>
  void read(const std::string& name, Take take) {
    std::error_code ignored;
    if (!std::filesystem::exists(run_.folder / name, ignored)) {
      lost(fmt::format("{}: it is not there", name));
      return;
    }
    std::size_t number = 0;
    const auto lines = [&](std::string_view text) {
      for (std::size_t begin = 0; begin < text.size();) {
        const auto end = std::min(text.find('\n', begin), text.size());
        ++number;
        const auto line = text.substr(begin, end - begin);
        begin = end + 1;
        if (line.empty()) continue;
        const std::string fault = take(line, number, end == text.size());
        if (!fault.empty()) lost(fmt::format("{}, line {}: {}: left out", name, number, fault));
      }
    };
    name.ends_with(".zst") ? read_frames(name, lines) : read_text(name, lines);
  }

  // The same into `rows`, by way of JSON.
  template <typename Rows, typename Parse>
  void read_rows(const std::string& name, Rows& rows, Parse parse) {
    read(name, [&](std::string_view line, std::size_t number, bool last) {
      return add(line, number, last, rows, parse);
    });
  }

  void read_requests(const std::string& name) {
    RequestRow row;
    read(name, [&](std::string_view line, std::size_t number, bool last) -> std::string {
      if (!plain_request_row(line, *run_.names, row)) {
        return add(line, number, last, run_.requests,
                   [&](Fields& fields) { return request_row(fields, *run_.names); });
      }
      row.line = number;
      run_.requests.push_back(row);
      return "";
    });
  }

  // A file that was cut between two frames, or joined with a copy of itself, shows no damage.
  void expect_rows(const char* name, std::size_t found, std::size_t expected) {
    const bool known = std::ranges::any_of(
        run_.warnings, [&](const auto& warning) { return warning.starts_with(name); });
    if (found == expected || known) return;
    lost(fmt::format("{}: {} rows, but the run wrote {}", name, found, expected));
  }

  void lost(std::string warning) {
    // A file that is garbage throughout is named once in a while, not once a line.
    constexpr std::size_t most_warnings = 50;
    run_.damaged = true;
    if (run_.warnings.size() < most_warnings) run_.warnings.push_back(std::move(warning));
    if (run_.warnings.size() == most_warnings) {
      run_.warnings.emplace_back("and more: these are the first");
    }
  }

 private:
  template <typename Lines>
  void read_text(const std::string& name, Lines lines) {
    const auto text = read_file(run_.folder / name);
    if (text) {
      lines(*text);
    } else {
      lost(without_folder(text.error().message));
    }
  }

  template <typename Lines>
  void read_frames(const std::string& name, Lines lines) {
    // A line may go on in the next frame: harnesses end frames with lines, other programs need not.
    std::string begun;
    const auto damages = zstd_read_frames(run_.folder / name, [&](std::string_view content) {
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
    for (const auto& damage : *damages) {
      lost(fmt::format("{}: damaged or cut at byte {} of {}, up to byte {}: what is whole is used",
                       name, damage.begin, damage.file_size, damage.end));
    }
  }

  template <typename Rows, typename Parse>
  static std::string add(std::string_view line, std::size_t number, bool last, Rows& rows,
                         Parse parse) {
    const json object = json::parse(line, nullptr, false);
    if (object.is_discarded()) return last ? "it breaks off" : "it is not JSON";
    Fields fields(object);
    auto row = parse(fields);
    if (!fields.fault().empty()) return fields.fault();
    row.line = number;
    rows.push_back(std::move(row));
    return "";
  }

  // Messages of lower layers begin with the whole path; a report must not name the machine's.
  std::string without_folder(std::string message) const {
    const std::string prefix = (run_.folder / "").string();
    if (message.starts_with(prefix)) message.erase(0, prefix.size());
    return message;
  }

  RawRun& run_;
};

std::size_t distinct_starts(const RawRun& run) {
  std::set<std::int64_t> starts;
  for (const auto& row : run.starts) starts.insert(row.start);
  return starts.size();
}

// How many distinct bodies were sent, and how many of them have a row.
std::pair<std::size_t, std::size_t> sent_and_described(const RawRun& run) {
  std::set<std::string_view> sent;
  for (const auto& row : run.requests) sent.insert(row.sent_sha256);
  const std::size_t count = sent.size();
  for (const auto& row : run.workload) sent.erase(row.sha256);
  return {count, count - sent.size()};
}

// How many group rows starts that ended well have, and how many they must have.
std::pair<std::size_t, std::size_t> groups_of_good_starts(const RawRun& run) {
  std::set<std::int64_t> good;
  for (const auto& row : run.starts) {
    if (row.outcome == "ok") good.insert(row.start);
  }
  const auto found =
      std::ranges::count_if(run.groups, [&](const auto& row) { return good.contains(row.start); });
  const auto left_out = std::ranges::count(run.events, "route_not_supported", &EventRow::kind);
  return {static_cast<std::size_t>(found),
          good.size() * run.info.plan.groups.size() - static_cast<std::size_t>(left_out)};
}

// A sliced plan's rounds that were carried out to their end have a row each; a complete run has as
// many that count as were planned, unless every rerun of one was discarded.
void expect_whole_rounds(const RawRun& run, Reader& reader) {
  if (!run.rounds_recorded && run.info.complete) reader.lost("rounds.jsonl.zst: it is not there");
}

void warn_of_lost_starts(RawRun& run) {
  std::set<std::int64_t> known;
  for (const auto& row : run.starts) known.insert(row.start);
  std::size_t orphans = 0;
  for (const auto& row : run.requests) {
    if (!known.contains(row.start)) ++orphans;
  }
  if (orphans == 0) return;
  run.damaged = true;
  run.warnings.push_back(fmt::format(
      "starts.jsonl.zst: {} requests belong to starts that have no row: left out", orphans));
}

}  // namespace

Result<RawRun> read_run(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    const bool file = std::filesystem::exists(folder, ignored);
    return fail(Error::usage(
        folder.string() + (file ? ": it is a file, not a run folder" : ": no such folder"),
        "give the folder that tare run printed"));
  }
  if (!std::filesystem::exists(folder / "run.json", ignored)) {
    return fail(Error::usage(folder.string() + ": not a run folder: it has no run.json",
                             "give the folder that tare run printed"));
  }
  const auto text = read_file(folder / "run.json");
  if (!text) return fail(text.error());
  auto info = parse_run_info(*text);
  if (!info) {
    return fail(Error::invalid((folder / info.error().message).string(), info.error().remedy));
  }
  RawRun run;
  run.folder = folder;
  run.info = std::move(*info);
  Reader reader(run);
  if (!run.info.plan_intact) {
    reader.lost(
        "run.json: /plan: not the plan that /plan_sha256 is of: damaged, or changed by hand");
  }
  const auto there = [&](const char* name) {
    return std::filesystem::exists(folder / name, ignored);
  };
  run.rounds_recorded = there("rounds.jsonl.zst");
  run.decoders_checked = there("fidelity.jsonl");
  run.bodies_kept = there("bodies");
  reader.read_rows("workload.jsonl.zst", run.workload, workload_row);
  if (run.rounds_recorded) reader.read_rows("rounds.jsonl.zst", run.rounds, round_row);
  reader.read_rows("starts.jsonl.zst", run.starts, start_row);
  reader.read_rows("groups.jsonl.zst", run.groups, group_row);
  reader.read_requests("requests.jsonl.zst");
  if (there("samples.jsonl.zst")) reader.read_rows("samples.jsonl.zst", run.samples, sample_row);
  if (run.decoders_checked) reader.read_rows("fidelity.jsonl", run.decoded, decoded_row);
  if (there("tokens.jsonl")) reader.read_rows("tokens.jsonl", run.tokens, tokens_row);
  if (there("events.jsonl")) reader.read_rows("events.jsonl", run.events, event_row);
  if (run.info.requests) {
    reader.expect_rows("requests.jsonl.zst", run.requests.size(),
                       static_cast<std::size_t>(*run.info.requests));
  }
  if (run.info.plan.protocol == "sliced") {
    expect_whole_rounds(run, reader);
  } else {
    const auto [found, expected] = groups_of_good_starts(run);
    reader.expect_rows("groups.jsonl.zst", found, expected);
  }
  reader.expect_rows("starts.jsonl.zst", run.starts.size(), distinct_starts(run));
  const auto [sent, described] = sent_and_described(run);
  reader.expect_rows("workload.jsonl.zst", described, sent);
  warn_of_lost_starts(run);
  return run;
}

}  // namespace tare::analysis
