#include "analysis/raw_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "analysis/fields.h"
#include "analysis/raw_rows.h"
#include "analysis/row_checks.h"
#include "analysis/row_reader.h"
#include "analysis/run_info.h"
#include "analysis/run_sums.h"
#include "common/files.h"

namespace tare::analysis {
namespace {

void read_requests(RowReader& reader, RawRun& run) {
  RequestRow row;
  reader.read("requests.jsonl.zst",
              [&](std::string_view line, std::size_t number, bool last) -> std::string {
                if (!plain_request_row(line, *run.names, row)) {
                  return RowReader::add(line, number, last, run.requests, [&](Fields& fields) {
                    return request_row(fields, *run.names);
                  });
                }
                row.line = number;
                run.requests.push_back(row);
                return "";
              });
}

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
void expect_whole_rounds(const RawRun& run, RowReader& reader) {
  if (!run.rounds_recorded && run.info.complete) reader.lost("rounds.jsonl.zst: it is not there");
}

// A start that was under way when a run was killed has no row, nor has its round: once the run was
// resumed nothing is missing.
void warn_of_lost_starts(RawRun& run) {
  std::set<std::int64_t> known;
  for (const auto& row : run.starts) known.insert(row.start);
  std::set<int> whole_rounds;
  for (const auto& row : run.rounds) whole_rounds.insert(row.round);
  const bool resumed = was_resumed(run);
  std::size_t orphans = 0;
  for (const auto& row : run.requests) {
    if (known.contains(row.start) || (resumed && !whole_rounds.contains(row.round))) continue;
    ++orphans;
  }
  if (orphans == 0) return;
  run.warnings.push_back(fmt::format(
      "starts.jsonl.zst: {} requests belong to starts that have no row: left out", orphans));
}

}  // namespace

bool was_resumed(const RawRun& run) {
  return std::ranges::find(run.events, "resumed", &EventRow::kind) != run.events.end();
}

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
  RowReader reader(folder, run.warnings);
  if (!run.info.plan_intact) {
    reader.lost(
        "run.json: /plan: not the plan that /plan_sha256 is of: damaged, or changed by hand");
  }
  run.rounds_recorded = reader.there("rounds.jsonl.zst");
  run.decoders_checked = reader.there("fidelity.jsonl");
  run.tokens_recorded = reader.there("tokens.jsonl");
  run.bodies_kept = reader.there("bodies");
  if (run.bodies_kept && !std::filesystem::is_directory(folder / "bodies", ignored)) {
    reader.lost("bodies: it is not a folder");
  }
  reader.read_rows("workload.jsonl.zst", run.workload, workload_row);
  if (run.rounds_recorded) {
    reader.read_rows("rounds.jsonl.zst", run.rounds, round_row, Repeated::left_out);
  }
  reader.read_rows("starts.jsonl.zst", run.starts, start_row);
  reader.read_rows("groups.jsonl.zst", run.groups, group_row);
  read_requests(reader, run);
  const auto read_once = [&](const char* name, auto& rows, auto parse) {
    if (reader.there(name)) reader.read_rows(name, rows, parse, Repeated::left_out);
  };
  read_once("samples.jsonl.zst", run.samples, sample_row);
  read_once("fidelity.jsonl", run.decoded, decoded_row);
  read_once("tokens.jsonl", run.tokens, tokens_row);
  read_once("events.jsonl", run.events, event_row);
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
  check_rows(run);
  check_run_sums(folder, run.warnings);
  run.damaged = !run.warnings.empty();
  return run;
}

}  // namespace tare::analysis
