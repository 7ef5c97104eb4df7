// The rows of a run folder, as docs/raw-format.md documents them, and their JSON. Plain data; an
// absent optional is written as null.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/environment.h"
#include "harness/workload.h"

namespace tare::harness {

enum class Phase { warmup, measured };
std::string_view name_of(Phase phase);

// How a start ended.
enum class Outcome { ok, rate_limited, crashed, hung, not_installed, leaked, failed, interrupted };
std::string_view name_of(Outcome outcome);

// How the arms of a round are visited.
enum class Design { published, sliced, isolated };
std::string_view name_of(Design design);

// Why a round is left out of all figures.
enum class DiscardCause { canary, steal, foreign_cpu, clock_step, swap };
std::string_view name_of(DiscardCause cause);

struct WorkloadRow {
  Task task{};
  int index = 0;
  std::uint64_t seed = 0;
  std::string sha256;
  std::int64_t bytes = 0;
  std::string output_sha256;
  std::int64_t output_bytes = 0;
  std::vector<Fact> facts;
  Route route{};
  std::string tool;
  std::optional<std::string> class_name;  // of the output
  std::optional<std::string> name;        // of the output's file
  std::optional<int> turn;                // from 1
  std::optional<std::string> conversation;
};

// What went on beside the arms during a round.
struct Conditions {
  std::int64_t canary_begin_ns = 0;  // the fixed loop before the round
  std::int64_t canary_end_ns = 0;    // and after it
  std::optional<double> steal_share;
  std::optional<double> foreign_cpu_share;  // of the busiest process that is not ours, of one CPU
  std::int64_t clock_step_ns = 0;           // of the wall clock against the monotonic one
  std::optional<std::int64_t> swap_bytes;   // swapped in and out
};

struct RoundRow {
  int round = 0;
  Design design{};
  int block = 0;
  std::vector<std::string> order;  // as started
  int attempt = 1;
  std::optional<int> replaces;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  Conditions conditions;
  std::optional<DiscardCause> discarded;
};

struct StartRow {
  int start = 0;
  int round = 0;
  int position = 0;
  Design design{};
  int block = 0;
  std::string arm;
  std::optional<std::vector<std::string>> argv;
  Outcome outcome = Outcome::ok;
  std::optional<std::string> reason;
  std::optional<std::int64_t> began_ns;
  std::optional<std::int64_t> ready_ns;
  std::optional<std::int64_t> ended_ns;
  std::optional<std::int64_t> cpu_at_ready_us;
  std::optional<std::int64_t> anon_at_ready_bytes;
  std::optional<std::int64_t> first_request_ns;  // latency of the first warm-up
  std::optional<std::int64_t> cpu_total_us;
  std::optional<std::int64_t> rusage_total_us;
  std::optional<char> grade;
  std::optional<std::int64_t> peak_bytes;
  std::optional<std::string> peak_since;
  std::optional<int> exit_code;
  std::optional<int> exit_signal;
  int leaked_processes = 0;
};

struct GroupRow {
  int start = 0;
  int round = 0;
  std::string arm;
  Task task{};
  Mode mode{};
  Design design{};
  std::optional<int> slice;           // absent: the whole group's window
  std::optional<int> slice_position;  // in its slice group, from 1
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  int requests = 0;
  int failures = 0;
  std::optional<std::int64_t> cpu_us;
  std::optional<std::int64_t> cpu_after_us;  // until the next thing was sent to the arm
  std::optional<std::int64_t> idle_us;       // a stretch without requests, after a start's last
  std::optional<std::int64_t> idle_cpu_us;   // group
  std::optional<std::int64_t> anon_begin_bytes;
  std::optional<std::int64_t> anon_end_bytes;
  std::optional<std::int64_t> private_begin_bytes;
  std::optional<std::int64_t> private_end_bytes;
  std::int64_t harness_cpu_us = 0;
  std::int64_t upstream_cpu_us = 0;
  std::optional<std::string> source;  // "cgroup" or "proc"; absent: no process
};

struct RequestRow {
  std::int64_t request = 0;
  int start = 0;
  int round = 0;
  std::string arm;
  Task task{};
  Mode mode{};
  int index = 0;
  Phase phase{};
  std::optional<int> slice;
  int sequence = 0;
  std::int64_t sent_ns = 0;
  std::optional<std::int64_t> first_byte_ns;
  std::optional<std::int64_t> last_byte_ns;
  std::optional<int> status;
  std::int64_t sent_bytes = 0;
  std::string sent_sha256;
  std::optional<std::int64_t> received_bytes;
  std::optional<std::string> received_sha256;
  int attempts = 0;
  bool reply_correct = false;
  std::optional<std::string> error;

  bool failed() const { return status != 200 || !reply_correct; }
};

struct UpstreamRow {
  std::int64_t upstream_request = 0;
  std::optional<std::int64_t> request;
  std::optional<int> start;
  std::int64_t received_ns = 0;
  std::string method;
  std::string path;
  std::vector<std::pair<std::string, std::string>> headers;
  std::int64_t bytes = 0;
  std::string sha256;
  int status = 0;
};

// What an arm gave back for a marker.
struct RetrievedRow {
  std::string arm;
  std::string forwarded_sha256;  // the body in which the marker first stood
  std::string marker;
  std::optional<int> status;
  std::optional<std::string> sha256;
  std::optional<std::int64_t> bytes;
  std::optional<std::string> error;
};

struct SampleRow {
  int start = 0;
  std::int64_t time_ns = 0;
  std::optional<std::int64_t> cpu_us;
  std::optional<std::int64_t> anon_bytes;
};

struct EventRow {
  std::int64_t time_ns = 0;
  std::string at;
  std::string kind;
  std::optional<std::string> arm;
  std::optional<int> round;
  std::string message;
};

// One JSON object on one line, without its end of line.
std::string to_json(const WorkloadRow& row);
std::string to_json(const RoundRow& row);
std::string to_json(const StartRow& row);
std::string to_json(const GroupRow& row);
std::string to_json(const RequestRow& row);
std::string to_json(const UpstreamRow& row);
std::string to_json(const RetrievedRow& row);
std::string to_json(const SampleRow& row);
std::string to_json(const EventRow& row);

// An arm as run.json describes it.
struct ArmRecord {
  std::string name;
  std::string title;
  std::optional<std::string> twin_of;  // the arm of which this is a second copy
  std::string kind;
  std::string licence;
  std::optional<std::string> homepage;
  std::optional<std::string> not_installed;  // the reason; absent: ready
  std::optional<std::string> identity_json;  // what its installer printed
  std::vector<std::string> degraded;
  std::vector<std::string> command;
  std::map<std::string, std::string> environment;
  bool claims_lossless = false;
  bool caches = false;
  std::optional<std::vector<std::string>> decoder;
  std::vector<std::string> notes;
};

struct Totals {
  std::int64_t planned_measured = 0;
  std::int64_t measured = 0;
  std::int64_t failed_measured = 0;
  std::int64_t warmups = 0;
};

// run.json.
struct RunDocument {
  std::optional<std::string> incomplete = "running";  // the reason; absent: complete
  std::string started_at;
  std::optional<std::string> ended_at;
  std::string plan_json;  // resolved, minified, sorted keys
  Environment environment;
  std::vector<ArmRecord> arms;
  Totals totals;
};

// The list of arms in run.json. Errors: invalid when an identity is no JSON.
Result<std::string> arms_json(const std::vector<ArmRecord>& arms);

// Indented, with an end of line. Errors: invalid when plan_json or an identity is no JSON.
Result<std::string> to_json(const RunDocument& document);

}  // namespace tare::harness
