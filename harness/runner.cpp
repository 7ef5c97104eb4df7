#include "harness/runner.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <map>
#include <set>

#include "common/hash.h"
#include "harness/group_run.h"
#include "harness/join.h"
#include "harness/retrieval.h"
#include "harness/sampler.h"

namespace tare::harness {
namespace {

// A start as far as it has come.
struct Start {
  const ArmToRun& arm;
  StartRow row;
  std::optional<Retrieval> retrieval = std::nullopt;
};

// Errors of a start name their arm; a row does too.
std::string without_name(const std::string& arm, std::string reason) {
  for (const std::string& prefix : {"arm " + arm + ": ", arm + ": "}) {
    if (reason.starts_with(prefix)) return reason.substr(prefix.size());
  }
  return reason;
}

class Runner {
 public:
  Runner(const Plan& plan, const std::vector<ArmToRun>& arms, const RunnerParts& parts,
         BodyStore bodies)
      : plan_(plan), arms_(arms), parts_(parts), bodies_(std::move(bodies)) {}

  Result<RunResult> run();

 private:
  Result<void> record_workload();
  Result<void> run_start(Start& start);
  Result<void> measure(Start& start, StartedArm& started);
  Result<bool> measure_group(Start& start, StartedArm& started, Client& client, const Group& group);
  void record_group(Start& start, const Group& group, GroupRun& run);
  void record_retrieved(Retrieval& retrieval, const std::vector<Received>& received,
                        const std::vector<UpstreamRow>& rows);
  void record_receipts(int start);
  void keep(const std::vector<Received>& received, std::vector<UpstreamRow> rows, int start);
  void fill(Start& start, const StopReport& report);
  void end_start(const Start& start);
  void event(std::string kind, const Start& start, std::string message);
  RunResult result() const;
  std::string interrupted_by() const;

  const Plan& plan_;
  const std::vector<ArmToRun>& arms_;
  const RunnerParts& parts_;
  const BodyStore bodies_;

  int starts_ = 0;
  std::int64_t requests_ = 0;
  Totals totals_;
  std::set<std::string> ready_;  // arms that were ready at least once
  std::map<std::string, std::pair<int, std::string>> not_ready_;  // arm -> first round, why not
  std::vector<std::string> incomplete_starts_;
};

Result<RunResult> Runner::run() {
  for (const ArmToRun& arm : arms_) {
    for (const Group& group : plan_.groups) {
      if (!path_of(arm.manifest, group.workload.route)) continue;
      totals_.planned_measured +=
          std::int64_t{plan_.rounds} * bodies_.requests(group, plan_.requests);
    }
  }
  if (auto recorded = record_workload(); !recorded) return fail(recorded.error());
  for (int round = 1; round <= plan_.rounds; ++round) {
    int position = 0;
    for (const std::string& name : arms_of_round(plan_, round)) {
      if (parts_.interrupt != 0) break;
      const auto arm = std::find_if(arms_.begin(), arms_.end(),
                                    [&](const ArmToRun& a) { return a.manifest.name == name; });
      Start start{*arm, {}};
      start.row.start = ++starts_;
      start.row.round = round;
      start.row.position = ++position;
      start.row.arm = name;
      parts_.progress.begin_start(round, name);
      auto ran = run_start(start);
      parts_.progress.end_start();
      if (!ran) return fail(ran.error());
    }
  }
  if (parts_.interrupt != 0) {
    parts_.recorder.add(EventRow{parts_.clock.monotonic_ns(), iso8601(parts_.clock.wall_ns()),
                                 "interrupted", std::nullopt, std::nullopt, interrupted_by()});
    if (auto committed = parts_.recorder.commit(); !committed) return fail(committed.error());
  }
  return result();
}

Result<void> Runner::record_workload() {
  for (const auto& [key, prepared] : bodies_.all()) {
    const Body& body = prepared.body;
    WorkloadRow row;
    row.task = body.task;
    row.index = body.index;
    row.seed = body.seed;
    row.sha256 = prepared.sha256;
    row.bytes = static_cast<std::int64_t>(body.text.size());
    row.output_sha256 = prepared.output_sha256;
    row.output_bytes = prepared.output_bytes;
    row.facts = body.facts;
    row.route = body.route;
    row.tool = body.tool;
    if (!body.class_name.empty()) row.class_name = body.class_name;
    if (!body.name.empty()) row.name = body.name;
    if (body.turn > 0) row.turn = body.turn;
    if (!body.conversation.empty()) row.conversation = body.conversation;
    parts_.recorder.add(row);
    parts_.recorder.keep_body(prepared.sha256, body.text);
  }
  return parts_.recorder.commit();
}

// Errors only when the run as a whole cannot go on; what happens to the arm is in its row.
Result<void> Runner::run_start(Start& start) {
  if (start.arm.not_installed) {
    start.row.outcome = Outcome::not_installed;
    start.row.reason = without_name(start.row.arm, *start.arm.not_installed);
    end_start(start);
    return parts_.recorder.commit();
  }
  const auto removed = plan_.removed_arguments.find(start.row.arm);
  auto started = parts_.starter.start(
      start.arm.manifest,
      removed != plan_.removed_arguments.end() ? removed->second : std::vector<std::string>{},
      parts_.upstream.url());
  if (!started) {
    const bool hung = started.error().code == Error::Code::timed_out;
    const bool crashed = started.error().code == Error::Code::crashed;
    start.row.outcome = parts_.interrupt != 0 ? Outcome::interrupted
                        : hung                ? Outcome::hung
                        : crashed             ? Outcome::crashed
                                              : Outcome::failed;
    start.row.reason = without_name(start.row.arm, started.error().text());
    record_receipts(start.row.start);
    end_start(start);
    return parts_.recorder.commit();
  }
  ready_.insert(start.row.arm);
  Sampler sampler;
  if (parts_.sample_every && !(*started)->argv().empty()) {
    sampler.start([&arm = **started] { return arm.sample(); }, *parts_.sample_every);
  }
  auto measured = measure(start, **started);
  for (const Reading& reading : sampler.stop()) {
    parts_.recorder.add(
        SampleRow{start.row.start, reading.time_ns, reading.cpu_us, reading.anon_bytes});
  }
  fill(start, (*started)->stop());
  record_receipts(start.row.start);
  end_start(start);
  if (!measured) return measured;
  return parts_.recorder.commit();
}

Result<void> Runner::measure(Start& start, StartedArm& started) {
  const Reading ready = started.read();
  StartRow& row = start.row;
  if (!started.argv().empty()) row.argv = started.argv();
  row.began_ns = started.began_ns();
  row.ready_ns = started.ready_ns();
  row.cpu_at_ready_us = ready.cpu_us;
  row.anon_at_ready_bytes = ready.anon_bytes;
  record_receipts(row.start);
  if (start.arm.manifest.retrieve) {
    start.retrieval.emplace(start.arm.manifest, started, parts_.upstream.url());
  }
  const auto client = parts_.make_client();
  if (const auto proxy = started.proxy(); !proxy.empty()) client->use_proxy(proxy);
  for (const Group& group : plan_.groups) {
    auto goes_on = measure_group(start, started, *client, group);
    if (!goes_on) return fail(goes_on.error());
    if (!*goes_on) return {};
    parts_.progress.end_group();
  }
  if (auto gone = started.gone()) {
    row.outcome = Outcome::crashed;
    row.reason = *gone;
  }
  return {};
}

// Whether the start goes on.
Result<bool> Runner::measure_group(Start& start, StartedArm& started, Client& client,
                                   const Group& group) {
  const auto path = path_of(start.arm.manifest, group.workload.route);
  if (!path) {
    event("route_not_supported", start,
          fmt::format("{} {}", name_of(group.task), name_of(group.mode)));
    return true;
  }
  const GroupTarget target{started, client, started.base_url() + *path, group,
                           &group == &plan_.groups.front()};
  GroupRun run = run_group(plan_, bodies_, target, parts_);
  record_group(start, group, run);
  if (run.ending) {
    start.row.outcome = run.ending->outcome;
    start.row.reason = std::move(run.ending->reason);
    if (start.row.outcome == Outcome::interrupted) start.row.reason = interrupted_by();
  }
  if (auto gone = parts_.upstream.gone()) {
    start.row.outcome = Outcome::failed;
    start.row.reason = *gone;
    return fail(Error::crashed(*gone,
                               "see whether the system ran out of descriptors or memory, "
                               "and run again"));
  }
  if (auto committed = parts_.recorder.commit(); !committed) {
    start.row.outcome = Outcome::failed;
    start.row.reason = committed.error().message;
    return fail(committed.error());
  }
  return !run.ending;
}

void Runner::record_group(Start& start, const Group& group, GroupRun& run) {
  const std::vector<Received> received = parts_.upstream.take();
  Joined joined = join(run.sent, received, requests_ + 1, start.arm.manifest.rewrites_replies);
  requests_ += static_cast<std::int64_t>(joined.requests.size());
  int failures = 0;
  int retried = 0;
  int most_attempts = 0;
  for (RequestRow& row : joined.requests) {
    row.start = start.row.start;
    row.round = start.row.round;
    row.arm = start.row.arm;
    row.task = group.task;
    row.mode = group.mode;
    retried += row.attempts > 1 ? 1 : 0;
    most_attempts = std::max(most_attempts, row.attempts);
    if (row.phase == Phase::measured) {
      ++totals_.measured;
      failures += row.failed() ? 1 : 0;
    } else {
      ++totals_.warmups;
    }
    if (row.failed() && !run.ending && plan_.any_failure_makes_incomplete) {
      run.ending = Ending{Outcome::failed,
                          row.error.value_or("the reply is not byte for byte the upstream's")};
    }
    parts_.recorder.add(row);
  }
  totals_.failed_measured += failures;
  if (start.retrieval) record_retrieved(*start.retrieval, received, joined.receipts);
  keep(received, std::move(joined.receipts), start.row.start);
  const std::string where = fmt::format("{} {}", name_of(group.task), name_of(group.mode));
  if (retried > 0) {
    event("retry", start,
          fmt::format("{}: {} of {} requests reached the upstream more than once, up to {} times",
                      where, retried, joined.requests.size(), most_attempts));
  }
  if (!run.window) return;
  const GroupRun::Window& window = *run.window;
  GroupRow row;
  row.start = start.row.start;
  row.round = start.row.round;
  row.arm = start.row.arm;
  row.task = group.task;
  row.mode = group.mode;
  row.begin_ns = window.begin_ns;
  row.end_ns = window.end_ns;
  row.requests = bodies_.requests(group, plan_.requests);
  row.failures = failures;
  if (window.begin.cpu_us && window.end.cpu_us) {
    row.cpu_us = *window.end.cpu_us - *window.begin.cpu_us;
    row.source = parts_.meter_source;
  }
  row.anon_begin_bytes = window.begin.anon_bytes;
  row.anon_end_bytes = window.end.anon_bytes;
  row.private_begin_bytes = window.private_begin_bytes;
  row.private_end_bytes = window.private_end_bytes;
  row.harness_cpu_us = window.harness_cpu_us;
  row.upstream_cpu_us = window.upstream_cpu_us;
  parts_.recorder.add(row);
}

void Runner::record_retrieved(Retrieval& retrieval, const std::vector<Received>& received,
                              const std::vector<UpstreamRow>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (Retrieved& one : retrieval.of(received[i].body, rows[i].sha256)) {
      if (one.row.sha256) parts_.recorder.keep_body(*one.row.sha256, one.body);
      parts_.recorder.add(one.row);
    }
  }
}

// What came outside the groups: probes for readiness, late attempts.
void Runner::record_receipts(int start) {
  const std::vector<Received> received = parts_.upstream.take();
  keep(received, join({}, received, 0).receipts, start);
}

void Runner::keep(const std::vector<Received>& received, std::vector<UpstreamRow> rows, int start) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].start = start;
    parts_.recorder.add(rows[i]);
    if (!received[i].body.empty()) parts_.recorder.keep_body(rows[i].sha256, received[i].body);
  }
}

void Runner::fill(Start& start, const StopReport& report) {
  StartRow& row = start.row;
  if (row.argv) row.ended_ns = report.ended_ns;
  row.cpu_total_us = report.cpu_total_us;
  row.rusage_total_us = report.rusage_total_us;
  row.grade = report.grade;
  row.peak_bytes = report.peak_bytes;
  if (report.peak_bytes) row.peak_since = report.peak_since_warmup ? "warm-up" : "start";
  row.exit_code = report.exit_code;
  row.exit_signal = report.exit_signal;
  row.leaked_processes = report.leaked_processes;
  for (const std::string& text : report.events) {
    const auto colon = text.find(": ");
    const std::string kind = text.substr(0, colon);
    const bool known = kind == "unreaped_children" || kind == "leaked_processes";
    event(known ? kind : "warning", start, known ? text.substr(colon + 2) : text);
  }
  if (report.killed) event("warning", start, "did not end when asked to and was killed");
  if (row.outcome != Outcome::ok) return;
  if (report.leaked_processes > 0) {
    row.outcome = Outcome::leaked;
    row.reason = fmt::format("left {} processes behind", report.leaked_processes);
  } else if (report.fault) {
    row.outcome = Outcome::failed;
    row.reason = report.fault;
  }
}

void Runner::end_start(const Start& start) {
  const StartRow& row = start.row;
  parts_.recorder.add(row);
  if (row.outcome == Outcome::ok) return;
  const std::string reason = row.reason.value_or("");
  if (ready_.contains(row.arm)) {
    incomplete_starts_.push_back(
        fmt::format("arm {}, round {}: {}: {}", row.arm, row.round, name_of(row.outcome), reason));
  } else {
    not_ready_.try_emplace(row.arm, row.round, reason);
  }
  if (row.outcome == Outcome::interrupted) return;
  const bool absent = row.outcome == Outcome::not_installed;
  if (absent && row.round > 1) return;
  event(absent ? "arm_not_installed" : "arm_failed", start,
        absent ? reason : fmt::format("{}: {}", name_of(row.outcome), reason));
  parts_.progress.note(
      fmt::format("{}, round {}: {}: {}", row.arm, row.round, name_of(row.outcome), reason));
}

void Runner::event(std::string kind, const Start& start, std::string message) {
  parts_.recorder.add(EventRow{parts_.clock.monotonic_ns(), iso8601(parts_.clock.wall_ns()),
                               std::move(kind), start.row.arm, start.row.round,
                               std::move(message)});
}

std::string Runner::interrupted_by() const {
  const char* name = sigabbrev_np(parts_.interrupt);
  return fmt::format("interrupted by SIG{}", name != nullptr ? name : "?");
}

RunResult Runner::result() const {
  RunResult result;
  result.totals = totals_;
  std::vector<std::string> missed = incomplete_starts_;
  for (const auto& [arm, first] : not_ready_) {
    if (ready_.contains(arm)) {
      missed.push_back(fmt::format("arm {}, round {}: {}", arm, first.first, first.second));
    } else {
      result.absent.push_back(fmt::format("{}: {}", arm, first.second));
    }
  }
  if (parts_.interrupt != 0) {
    result.incomplete = interrupted_by();
  } else if (!missed.empty()) {
    result.incomplete = missed.front();
    if (missed.size() > 1) {
      *result.incomplete += fmt::format(" (and {} more starts)", missed.size() - 1);
    }
  } else if (plan_.any_failure_makes_incomplete && totals_.failed_measured > 0) {
    result.incomplete = fmt::format("{} measured requests failed", totals_.failed_measured);
  } else if (ready_.empty()) {
    result.incomplete =
        "no arm could be started: " + fmt::format("{}", fmt::join(result.absent, "; "));
  }
  return result;
}

}  // namespace

Result<RunResult> run_plan(const Plan& plan, const std::vector<ArmToRun>& arms,
                           const RunnerParts& parts) {
  auto bodies = BodyStore::make(plan, plan.warmups + plan.requests);
  if (!bodies) return fail(bodies.error());
  return Runner(plan, arms, parts, std::move(*bodies)).run();
}

}  // namespace tare::harness
