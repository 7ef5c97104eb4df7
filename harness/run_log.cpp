#include "harness/run_log.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>

#include "harness/join.h"

namespace tare::harness {
namespace {

// Measured requests that a plan means to send: the least number where slices decide.
std::int64_t planned_measured(const Plan& plan, const std::vector<ArmToRun>& arms,
                              const BodyStore& bodies) {
  std::int64_t requests = 0;
  for (const PlannedRound& round : rounds_of(plan)) {
    for (const ArmToRun& arm : arms) {
      if (std::ranges::find(round.order, arm.manifest.name) == round.order.end()) continue;
      for (const Group& group : plan.groups) {
        if (!path_of(arm.manifest, group.workload.route)) continue;
        requests += round.design == Design::published ? bodies.requests(group, plan.requests)
                    : round.design == Design::isolated
                        ? bodies.requests(group, plan.slicing.isolated_requests)
                        : plan.slicing.groups * plan.slicing.least_requests;
      }
    }
  }
  return requests;
}

}  // namespace

std::string without_name(const std::string& arm, std::string reason) {
  for (const std::string& prefix : {"arm " + arm + ": ", arm + ": "}) {
    if (reason.starts_with(prefix)) return reason.substr(prefix.size());
  }
  return reason;
}

RunLog::RunLog(const Plan& plan, const std::vector<ArmToRun>& arms, const BodyStore& bodies,
               const RunnerParts& parts, const RunPoint& from)
    : plan_(plan),
      parts_(parts),
      starts_(from.last_start),
      requests_(from.last_request),
      totals_(from.totals),
      failures_(from.failed_measured) {
  totals_.planned_measured = planned_measured(plan, arms, bodies);
  for (const StartRow& row : from.starts) count(row);
  for (const std::string& reason : from.missed) missed(reason);
}

Result<void> RunLog::record_workload(const BodyStore& bodies) {
  for (const auto& [key, prepared] : bodies.all()) {
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

std::optional<GroupRow> RunLog::record(const StartRow& start, const Manifest& arm,
                                       const Group& group, GroupRun& run,
                                       const std::vector<Received>& received,
                                       Retrieval* retrieval) {
  Joined joined = join(run.sent, received, requests_ + 1, arm.rewrites_replies);
  requests_ += static_cast<std::int64_t>(joined.requests.size());
  int failures = 0;
  int measured = 0;
  int retried = 0;
  int largest_attempts = 0;
  for (RequestRow& row : joined.requests) {
    row.start = start.start;
    row.round = start.round;
    row.arm = start.arm;
    row.task = group.task;
    row.mode = group.mode;
    row.slice = run.slice;
    retried += row.attempts > 1 ? 1 : 0;
    largest_attempts = std::max(largest_attempts, row.attempts);
    if (row.phase == Phase::measured) {
      ++measured;
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
  totals_.measured += measured;
  totals_.failed_measured += failures;
  open_failures_ += failures;
  if (retrieval != nullptr) record_retrieved(*retrieval, received, joined.receipts);
  keep(received, std::move(joined.receipts), start.start);
  if (retried > 0) {
    event(
        "retry", start.arm, start.round,
        fmt::format("{} {}: {} of {} requests reached the upstream more than once, up to {} times",
                    name_of(group.task), name_of(group.mode), retried, joined.requests.size(),
                    largest_attempts));
  }
  if (!run.window) return std::nullopt;
  const Window& window = *run.window;
  GroupRow row;
  row.start = start.start;
  row.round = start.round;
  row.arm = start.arm;
  row.task = group.task;
  row.mode = group.mode;
  row.design = start.design;
  row.slice = run.slice;
  row.slice_position = run.slice_position;
  row.begin_ns = window.begin_ns;
  row.end_ns = window.end_ns;
  row.requests = measured;
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
  return row;
}

void RunLog::record_retrieved(Retrieval& retrieval, const std::vector<Received>& received,
                              const std::vector<UpstreamRow>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (Retrieved& one : retrieval.of(received[i].body, rows[i].sha256)) {
      if (one.row.sha256) parts_.recorder.keep_body(*one.row.sha256, one.body);
      parts_.recorder.add(one.row);
    }
  }
}

void RunLog::add_samples(int start, const std::vector<Reading>& readings) {
  for (const Reading& reading : readings) {
    parts_.recorder.add(SampleRow{start, reading.time_ns, reading.cpu_us, reading.anon_bytes});
  }
}

void RunLog::record_receipts(std::optional<int> start) {
  const std::vector<Received> received = parts_.upstream.take();
  keep(received, join({}, received, 0).receipts, start);
}

void RunLog::keep(const std::vector<Received>& received, std::vector<UpstreamRow> rows,
                  std::optional<int> start) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].start = start;
    parts_.recorder.add(rows[i]);
    if (!received[i].body.empty()) parts_.recorder.keep_body(rows[i].sha256, received[i].body);
  }
}

bool RunLog::was_ready(const std::string& arm) const {
  return ready_.contains(arm) || std::ranges::any_of(open_, [&](const StartRow& row) {
           return row.arm == arm && row.ready_ns.has_value();
         });
}

void RunLog::end_start(const StartRow& row) {
  parts_.recorder.add(row);
  open_.push_back(row);
  if (row.outcome == Outcome::ok || row.outcome == Outcome::interrupted) return;
  const std::string reason = row.reason.value_or("");
  const bool absent = row.outcome == Outcome::not_installed;
  if (absent && not_ready_.contains(row.arm)) return;
  const std::string what = absent ? reason : fmt::format("{}: {}", name_of(row.outcome), reason);
  event(absent ? "arm_not_installed" : "arm_failed", row.arm, row.round, what);
  parts_.progress.note(
      fmt::format("{}, round {}: {}: {}", row.arm, row.round, name_of(row.outcome), reason));
}

void RunLog::count(const StartRow& row) {
  if (row.ready_ns) ready_.insert(row.arm);
  if (row.outcome == Outcome::ok) return;
  const std::string reason = row.reason.value_or("");
  if (ready_.contains(row.arm)) {
    incomplete_.push_back(
        fmt::format("arm {}, round {}: {}: {}", row.arm, row.round, name_of(row.outcome), reason));
  } else {
    not_ready_.try_emplace(row.arm, row.round, reason);
  }
}

void RunLog::end_round(const RoundRow& row) {
  parts_.recorder.add(row);
  if (!row.discarded) {
    for (const StartRow& start : open_) count(start);
    failures_ += open_failures_;
  }
  open_.clear();
  open_failures_ = 0;
}

void RunLog::event(std::string kind, std::optional<std::string> arm, std::optional<int> round,
                   std::string message) {
  parts_.recorder.add(EventRow{parts_.clock.monotonic_ns(), iso8601(parts_.clock.wall_ns()),
                               std::move(kind), std::move(arm), round, std::move(message)});
}

std::string RunLog::interrupted_by() const {
  const char* name = sigabbrev_np(parts_.interrupt);
  return fmt::format("interrupted by SIG{}", name != nullptr ? name : "?");
}

RunResult RunLog::result() const {
  RunResult result;
  result.totals = totals_;
  std::vector<std::string> missed = incomplete_;
  for (const auto& [arm, first] : not_ready_) {
    if (was_ready(arm)) {
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
      *result.incomplete += fmt::format(" (and {} more)", missed.size() - 1);
    }
  } else if (plan_.any_failure_makes_incomplete && failures_ > 0) {
    result.incomplete = fmt::format("{} measured requests failed", failures_);
  } else if (ready_.empty()) {
    result.incomplete =
        "no arm could be started: " + fmt::format("{}", fmt::join(result.absent, "; "));
  }
  return result;
}

void fill(StartRow& row, const StopReport& report, RunLog& log) {
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
    log.event(known ? kind : "warning", row.arm, row.round, known ? text.substr(colon + 2) : text);
  }
  if (report.killed) {
    log.event("warning", row.arm, row.round, "did not end when asked to and was killed");
  }
  if (row.outcome != Outcome::ok) return;
  if (report.leaked_processes > 0) {
    row.outcome = Outcome::leaked;
    row.reason = fmt::format("left {} processes behind", report.leaked_processes);
  } else if (report.fault) {
    row.outcome = Outcome::failed;
    row.reason = report.fault;
  }
}

}  // namespace tare::harness
