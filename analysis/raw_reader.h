// A run folder, read into typed rows: the only thing that reports are made from.
//
// read_run() is called once a report. What is damaged, cut or not understood is left out and named
// in `warnings` with its file and place; what is whole is used. A field that could not be measured
// is absent, never 0; one that older schemas do not have is absent too. Fields that this version
// does not know are ignored. Format: docs/raw-format.md. The rows are plain data; reading shares
// nothing between threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/names.h"
#include "common/error.h"

namespace tare::analysis {

struct PlanInfo {
  std::string name;
  std::string title;
  std::string protocol;
  int rounds = 0;
  std::vector<std::string> arms;
  int rotate = 0;
  std::vector<std::pair<std::string, std::string>> groups;  // task, mode
  int warmups = 0;
  int requests = 0;  // measured, per group and start; a sliced plan has none
  int isolated_rounds = 0;
  int slice_groups = 0;                   // per group and sliced round
  std::string subject;                    // the arm whose verdicts are given, or empty
  std::vector<std::string> references;    // against which
  std::map<std::string, double> margins;  // metric -> share
  std::uint64_t seed = 0;
  std::map<std::string, std::vector<std::string>> removed_arguments;  // arm -> words
};

struct ArmInfo {
  std::string name;
  std::string title;
  std::string kind;                    // direct, forwarder, compressor
  std::optional<std::string> twin_of;  // the arm of which it is a second copy
  std::string licence;
  std::optional<std::string> homepage;
  bool installed = true;
  std::optional<std::string> reason;  // why it is not installed
  std::optional<std::string> version;
  std::vector<std::pair<std::string, std::string>> files;  // base name, SHA-256
  std::vector<std::string> degraded;
  std::vector<std::string> command;
  std::map<std::string, std::string> environment;
  bool claims_lossless = false;
  bool caches = false;
  std::vector<std::string> decoder;  // argv; empty: it ships none
  std::vector<std::string> notes;
};

struct EnvironmentInfo {
  std::vector<std::pair<std::string, std::string>> facts;  // as recorded, in plain words
  std::vector<std::string> limits;                         // what cannot be measured there
};

struct RunInfo {
  bool complete = false;
  std::string reason;  // why it is incomplete; empty when complete
  std::string started_at;
  std::optional<std::string> ended_at;
  std::string harness_version;
  PlanInfo plan;
  std::string plan_sha256;
  bool plan_intact = true;  // it is the one that plan_sha256 is of
  EnvironmentInfo environment;
  std::vector<ArmInfo> arms;
  std::optional<std::int64_t> planned_measured;
  // Rows that requests.jsonl.zst must hold; absent when the run did not live to count them.
  std::optional<std::int64_t> requests;
};

// In each row: its line in its file, from 1.
struct Fact {
  std::string name;
  std::vector<std::string> spellings;
};

struct WorkloadRow {
  std::size_t line = 0;
  std::string task;
  int index = 0;
  std::string sha256;
  std::int64_t bytes = 0;
  std::vector<Fact> facts;
  std::string route;
  std::string name;          // of the file that holds the last output; may be empty
  std::string conversation;  // may be empty
  int turn = 0;              // of the conversation
};

enum class Design { published, sliced, isolated };

struct RoundRow {
  std::size_t line = 0;
  int round = 0;
  Design design = Design::published;
  std::vector<std::string> order;
  int attempt = 1;
  std::optional<int> replaces;
  std::optional<std::int64_t> canary_begin_ns;
  std::optional<std::int64_t> canary_end_ns;
  std::optional<double> steal_share;
  std::optional<double> foreign_cpu_share;
  std::optional<std::string> discarded;  // why it is in no figure
};

struct StartRow {
  std::size_t line = 0;
  std::int64_t start = 0;
  int round = 0;
  Design design = Design::published;
  int position = 0;
  std::string arm;
  std::string outcome;
  std::optional<std::string> reason;
  bool has_process = false;
  std::optional<std::int64_t> began_ns;
  std::optional<std::int64_t> ready_ns;
  std::optional<std::int64_t> cpu_at_ready_us;
  std::optional<std::int64_t> anon_at_ready_bytes;
  std::optional<std::int64_t> first_request_ns;
  std::optional<std::int64_t> cpu_total_us;
  std::optional<std::int64_t> rusage_total_us;
  std::optional<std::string> grade;
  std::optional<std::int64_t> peak_bytes;
  std::optional<std::string> peak_since;
};

struct GroupRow {
  std::size_t line = 0;
  std::int64_t start = 0;
  int round = 0;
  std::string arm;
  std::string task;
  std::string mode;
  Design design = Design::published;
  std::optional<int> slice;  // absent: a whole window
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t requests = 0;
  std::int64_t failures = 0;
  std::optional<std::int64_t> cpu_us;
  std::optional<std::int64_t> cpu_after_us;  // between this window's end and the next request
  std::optional<std::int64_t> idle_us;
  std::optional<std::int64_t> idle_cpu_us;
  std::optional<std::int64_t> anon_begin_bytes;
  std::optional<std::int64_t> anon_end_bytes;
  std::optional<std::int64_t> private_begin_bytes;
  std::optional<std::int64_t> private_end_bytes;
  std::optional<std::int64_t> harness_cpu_us;
  std::optional<std::int64_t> upstream_cpu_us;
};

// There may be millions: its texts are views into the run's names.
struct RequestRow {
  std::size_t line = 0;
  std::int64_t start = 0;
  int round = 0;
  std::string_view arm;
  std::string_view task;
  std::string_view mode;
  std::optional<int> slice;  // absent: not in a slice
  bool measured = false;     // or a warm-up
  std::int64_t sent_ns = 0;
  std::optional<std::int64_t> last_byte_ns;
  std::optional<int> status;
  std::int64_t sent_bytes = 0;
  std::string_view sent_sha256;
  std::optional<std::int64_t> received_bytes;
  std::optional<std::string_view> received_sha256;
  int attempts = 0;
  bool reply_correct = false;

  bool failed() const { return status != 200 || !reply_correct; }
  // Nothing when it failed.
  std::optional<double> latency_ms() const {
    if (failed() || !last_byte_ns) return std::nullopt;
    return static_cast<double>(*last_byte_ns - sent_ns) / 1e6;
  }
};

// What verify_decoders() found of one forwarded body (verify.h).
struct DecodedRow {
  std::size_t line = 0;
  std::string arm;
  std::string sent_sha256;
  std::string forwarded_sha256;
  std::optional<bool> equal;
  std::string reason;
};

// The o200k_base tokens of one distinct body (run_tokens.h).
struct TokensRow {
  std::size_t line = 0;
  std::string sha256;
  std::int64_t body_tokens = 0;
  std::vector<std::int64_t> output_tokens;  // of each tool output
};

struct SampleRow {
  std::size_t line = 0;
  std::int64_t start = 0;
  std::int64_t time_ns = 0;
  std::optional<std::int64_t> cpu_us;  // since the start
  std::optional<std::int64_t> anon_bytes;
};

struct EventRow {
  std::size_t line = 0;
  std::int64_t time_ns = 0;
  std::string kind;
  std::optional<std::string> arm;
  std::optional<int> round;
  std::string message;
};

struct RawRun {
  std::filesystem::path folder;
  RunInfo info;
  std::shared_ptr<Names> names = std::make_shared<Names>();  // of the requests' texts
  std::vector<WorkloadRow> workload;
  bool rounds_recorded = false;  // rounds.jsonl.zst is there
  std::vector<RoundRow> rounds;
  std::vector<StartRow> starts;
  std::vector<GroupRow> groups;
  std::deque<RequestRow> requests;
  bool bodies_kept = true;  // bodies/ is there
  std::vector<SampleRow> samples;
  bool decoders_checked = false;  // fidelity.jsonl is there
  std::vector<DecodedRow> decoded;
  bool tokens_recorded = false;  // tokens.jsonl is there
  std::vector<TokensRow> tokens;
  std::vector<EventRow> events;
  std::vector<std::string> warnings;  // "requests.jsonl.zst, line 12: ..."; no absolute paths
  bool damaged = false;               // some raw data is missing that was once there
};

// The run was cut off and gone on with: a round without a row was carried out anew.
bool was_resumed(const RawRun& run);

// Errors: usage (not a run folder), invalid (run.json damaged, or a schema this version does not
// know), io.
Result<RawRun> read_run(const std::filesystem::path& folder);

}  // namespace tare::analysis
