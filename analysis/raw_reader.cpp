#include "analysis/raw_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string_view>
#include <utility>

#include "analysis/fields.h"
#include "analysis/run_info.h"
#include "common/files.h"
#include "common/zstd_stream.h"

namespace tare::analysis {
namespace {

using nlohmann::json;

WorkloadRow workload_row(Fields& fields) {
  WorkloadRow row;
  row.task = fields.text("task");
  row.index = fields.small_integer("index");
  row.sha256 = fields.text("sha256");
  row.bytes = fields.integer("bytes");
  for (const auto& item : fields.array("facts")) {
    Fields fact(item, "/facts");
    row.facts.push_back({fact.text("name"), fact.texts("spellings")});
    fields.blame(fact.fault());
  }
  return row;
}

StartRow start_row(Fields& fields) {
  StartRow row;
  row.start = fields.integer("start");
  row.round = fields.small_integer("round");
  row.position = fields.maybe_small_integer("position").value_or(0);
  row.arm = fields.text("arm");
  row.outcome = fields.text("outcome");
  row.reason = fields.maybe_text("reason");
  row.has_process = !fields.texts("argv").empty();
  row.began_ns = fields.maybe_integer("began_ns");
  row.ready_ns = fields.maybe_integer("ready_ns");
  row.cpu_at_ready_us = fields.maybe_integer("cpu_at_ready_us");
  row.anon_at_ready_bytes = fields.maybe_integer("anon_at_ready_bytes");
  row.cpu_total_us = fields.maybe_integer("cpu_total_us");
  row.rusage_total_us = fields.maybe_integer("rusage_total_us");
  row.grade = fields.maybe_text("grade");
  row.peak_bytes = fields.maybe_integer("peak_bytes");
  row.peak_since = fields.maybe_text("peak_since");
  return row;
}

GroupRow group_row(Fields& fields) {
  GroupRow row;
  row.start = fields.integer("start");
  row.round = fields.small_integer("round");
  row.arm = fields.text("arm");
  row.task = fields.text("task");
  row.mode = fields.text("mode");
  row.requests = fields.integer("requests");
  row.cpu_us = fields.maybe_integer("cpu_us");
  row.anon_begin_bytes = fields.maybe_integer("anon_begin_bytes");
  row.anon_end_bytes = fields.maybe_integer("anon_end_bytes");
  row.private_begin_bytes = fields.maybe_integer("private_begin_bytes");
  row.private_end_bytes = fields.maybe_integer("private_end_bytes");
  row.harness_cpu_us = fields.maybe_integer("harness_cpu_us");
  row.upstream_cpu_us = fields.maybe_integer("upstream_cpu_us");
  return row;
}

RequestRow request_row(Fields& fields) {
  RequestRow row;
  row.start = fields.integer("start");
  row.round = fields.small_integer("round");
  row.arm = fields.text("arm");
  row.task = fields.text("task");
  row.mode = fields.text("mode");
  row.measured = fields.text("phase") == "measured";
  row.sent_ns = fields.integer("sent_ns");
  row.last_byte_ns = fields.maybe_integer("last_byte_ns");
  row.status = fields.maybe_small_integer("status");
  row.sent_bytes = fields.integer("sent_bytes");
  row.sent_sha256 = fields.text("sent_sha256");
  row.received_bytes = fields.maybe_integer("received_bytes");
  row.received_sha256 = fields.maybe_text("received_sha256");
  row.attempts = fields.maybe_small_integer("attempts").value_or(0);
  row.reply_correct = fields.maybe_boolean("reply_correct").value_or(false);
  row.error = fields.maybe_text("error");
  return row;
}

DecodedRow decoded_row(Fields& fields) {
  DecodedRow row;
  row.arm = fields.text("arm");
  row.sent_sha256 = fields.text("sent_sha256");
  row.forwarded_sha256 = fields.text("forwarded_sha256");
  row.equal = fields.maybe_boolean("decoded_equal");
  row.reason = fields.maybe_text("reason").value_or("");
  return row;
}

TokensRow tokens_row(Fields& fields) {
  TokensRow row;
  row.sha256 = fields.text("sha256");
  row.body_tokens = fields.integer("body_tokens");
  row.output_tokens = fields.integers("output_tokens");
  return row;
}

EventRow event_row(Fields& fields) {
  EventRow row;
  row.kind = fields.text("kind");
  row.arm = fields.maybe_text("arm");
  row.round = fields.maybe_small_integer("round");
  row.message = fields.maybe_text("message").value_or("");
  return row;
}

class Reader {
 public:
  explicit Reader(RawRun& run) : run_(run) {}

  // Reads the JSON lines of a file that must be there in a complete run.
  template <typename Row>
  void read(const char* name, std::vector<Row>& rows, Row (*parse)(Fields&)) {
    std::error_code ignored;
    if (!std::filesystem::exists(run_.folder / name, ignored)) {
      lost(fmt::format("{}: it is not there", name));
      return;
    }
    const auto text = content(name);
    if (!text) return;
    std::size_t line = 0;
    for (std::size_t begin = 0; begin < text->size();) {
      const auto end = std::min(text->find('\n', begin), text->size());
      ++line;
      const std::string_view words = std::string_view(*text).substr(begin, end - begin);
      if (!words.empty()) add(name, line, words, end == text->size(), rows, parse);
      begin = end + 1;
    }
  }

  // A file that was cut between two frames, or joined with a copy of itself, shows no damage.
  void expect_rows(const char* name, std::size_t found, std::size_t expected) {
    const bool known = std::ranges::any_of(
        run_.warnings, [&](const auto& warning) { return warning.starts_with(name); });
    if (found == expected || known) return;
    lost(fmt::format("{}: {} rows, but the run wrote {}", name, found, expected));
  }

  void lost(std::string warning) {
    run_.warnings.push_back(std::move(warning));
    run_.damaged = true;
  }

 private:
  std::optional<std::string> content(const std::string& name) {
    const auto path = run_.folder / name;
    if (!name.ends_with(".zst")) {
      auto text = read_file(path);
      if (text) return std::move(*text);
      lost(without_folder(text.error().message));
      return std::nullopt;
    }
    auto text = zstd_read_file(path);
    if (!text) {
      lost(without_folder(text.error().message));
      return std::nullopt;
    }
    if (!text->damage.empty()) {
      lost(without_folder(text->damage) + ": what is whole before that is used");
    }
    return std::move(text->bytes);
  }

  template <typename Row>
  void add(const char* name, std::size_t line, std::string_view words, bool last,
           std::vector<Row>& rows, Row (*parse)(Fields&)) {
    const json object = json::parse(words, nullptr, false);
    if (object.is_discarded()) {
      lost(fmt::format("{}, line {}: {}: left out", name, line,
                       last ? "it breaks off" : "it is not JSON"));
      return;
    }
    Fields fields(object);
    Row row = parse(fields);
    if (!fields.fault().empty()) {
      lost(fmt::format("{}, line {}: {}: left out", name, line, fields.fault()));
      return;
    }
    row.line = line;
    rows.push_back(std::move(row));
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
  return {static_cast<std::size_t>(found), good.size() * run.info.plan.groups.size()};
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
    return fail(Error::usage(folder.string() + ": no such folder",
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
  reader.read("workload.jsonl.zst", run.workload, workload_row);
  reader.read("starts.jsonl.zst", run.starts, start_row);
  reader.read("groups.jsonl.zst", run.groups, group_row);
  reader.read("requests.jsonl.zst", run.requests, request_row);
  run.decoders_checked = std::filesystem::exists(folder / "fidelity.jsonl", ignored);
  if (run.decoders_checked) reader.read("fidelity.jsonl", run.decoded, decoded_row);
  if (std::filesystem::exists(folder / "tokens.jsonl", ignored)) {
    reader.read("tokens.jsonl", run.tokens, tokens_row);
  }
  if (std::filesystem::exists(folder / "events.jsonl", ignored)) {
    reader.read("events.jsonl", run.events, event_row);
  }
  if (run.info.requests) {
    reader.expect_rows("requests.jsonl.zst", run.requests.size(),
                       static_cast<std::size_t>(*run.info.requests));
  }
  const auto [found, expected] = groups_of_good_starts(run);
  reader.expect_rows("groups.jsonl.zst", found, expected);
  reader.expect_rows("starts.jsonl.zst", run.starts.size(), distinct_starts(run));
  const auto [sent, described] = sent_and_described(run);
  reader.expect_rows("workload.jsonl.zst", described, sent);
  warn_of_lost_starts(run);
  return run;
}

}  // namespace tare::analysis
