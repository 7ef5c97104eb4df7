#include "harness/round_run.h"

#include <algorithm>
#include <deque>

#include "harness/start_run.h"

namespace tare::harness {
namespace {

constexpr std::int64_t ns_per_ms = 1'000'000;
// After the last group of an isolated start: what an arm put off is done, then it is watched idle.
constexpr std::int64_t settle_ns = 200 * ns_per_ms;
constexpr std::int64_t idle_ns = 1000 * ns_per_ms;

const ArmToRun& arm_of(const RoundTask& task, const std::string& name) {
  return *std::ranges::find(
      task.arms, name, [](const ArmToRun& arm) -> const std::string& { return arm.manifest.name; });
}

// Ends a group: what a failure of the harness's own parts means for the starts that are up.
Result<void> end_group(const std::vector<StartRun*>& starts, const RunnerParts& parts,
                       RunLog& log) {
  const auto give_up = [&](Error error) {
    for (StartRun* start : starts) {
      start->fail_with(error.message);
      start->stop();
    }
    return fail(std::move(error));
  };
  if (auto gone = parts.upstream.gone()) {
    return give_up(Error::crashed(
        *gone, "see whether the system ran out of descriptors or memory, and run again"));
  }
  if (auto committed = log.commit(); !committed) return give_up(committed.error());
  parts.progress.end_group();
  return {};
}

// The published protocol and isolated rounds: one arm up at a time, each group in one window.
class OneByOne {
 public:
  OneByOne(const RoundTask& task, const RunnerParts& parts, RunLog& log)
      : task_(task), parts_(parts), log_(log), isolated_(task.planned.design == Design::isolated) {}

  Result<void> run() {
    int position = 0;
    for (const std::string& name : task_.planned.order) {
      if (parts_.interrupt != 0) return {};
      StartRun start(task_.plan, arm_of(task_, name),
                     {task_.round, ++position, task_.planned.design, task_.planned.block}, parts_,
                     log_);
      parts_.progress.begin_start(task_.round, name);
      auto measured = start.start() ? measure(start) : Result<void>();
      start.stop();
      parts_.progress.end_start();
      if (!measured) return measured;
      if (auto committed = log_.commit(); !committed) return committed;
    }
    return {};
  }

 private:
  Result<void> measure(StartRun& start) {
    const int requests = isolated_ ? task_.plan.slicing.isolated_requests : task_.plan.requests;
    for (const Group& group : task_.plan.groups) {
      const auto target = start.target(group);
      if (!target) {
        start.leave_out(group);
        if (auto ended = end_group({&start}, parts_, log_); !ended) return ended;
        continue;
      }
      if (isolated_) start.close_last(start.arm().read());
      GroupRun run = run_group(task_.plan, requests, task_.bodies, *target, parts_);
      const bool goes_on = start.record(group, run, parts_.upstream.take());
      if (auto ended = end_group({&start}, parts_, log_); !ended) return ended;
      if (!goes_on) return {};
    }
    if (isolated_) watch_idle(start);
    return {};
  }

  void watch_idle(StartRun& start) {
    GroupRow* row = start.last();
    if (row == nullptr) return;
    const auto wait = [&](std::int64_t time_ns) {
      parts_.clock.sleep_until_ns(parts_.clock.monotonic_ns() + time_ns);
      return start.arm().read();
    };
    const Reading settled = wait(settle_ns);
    const Reading idle = wait(idle_ns);
    row->idle_us = (idle.time_ns - settled.time_ns) / 1000;
    if (idle.cpu_us && settled.cpu_us) row->idle_cpu_us = *idle.cpu_us - *settled.cpu_us;
    start.close_last(settled);
  }

  const RoundTask& task_;
  const RunnerParts& parts_;
  RunLog& log_;
  bool isolated_;
};

// A block of arms up at once, visited in short slices.
class Sliced {
 public:
  Sliced(const RoundTask& task, const RunnerParts& parts, RunLog& log)
      : task_(task), parts_(parts), log_(log) {}

  Result<void> run() {
    parts_.progress.begin_start(task_.round, std::string(name_of(Design::sliced)));
    start_all();
    auto measured = measure();
    for (StartRun& start : starts_) start.stop();
    log_.record_receipts(std::nullopt);
    parts_.progress.end_start();
    if (!measured) return measured;
    return log_.commit();
  }

 private:
  // A visit of one arm, kept until its slice group is over: nothing is joined or hashed before.
  struct Visit {
    StartRun* start = nullptr;
    GroupRun run;
    std::vector<Received> received;
  };

  void start_all() {
    int position = 0;
    for (const std::string& name : task_.planned.order) {
      if (parts_.interrupt != 0) return;
      starts_.emplace_back(
          task_.plan, arm_of(task_, name),
          StartPlace{task_.round, ++position, task_.planned.design, task_.planned.block}, parts_,
          log_);
      starts_.back().start();
    }
  }

  Result<void> measure() {
    int number = 0;
    for (const Group& group : task_.plan.groups) {
      warm_up_all(group);
      for (int slice = 0; slice < task_.plan.slicing.groups && parts_.interrupt == 0; ++slice) {
        visit_all(group, number, slice);
      }
      if (auto ended = end_group(all(), parts_, log_); !ended) return ended;
      if (parts_.interrupt != 0) return {};
      ++number;
    }
    for (StartRun& start : starts_) {
      if (start.up()) start.close_last(start.arm().read());
    }
    return {};
  }

  std::vector<StartRun*> all() {
    std::vector<StartRun*> pointers;
    for (StartRun& start : starts_) pointers.push_back(&start);
    return pointers;
  }

  void warm_up_all(const Group& group) {
    for (StartRun& start : starts_) {
      if (!start.up()) continue;
      start.close_last(start.arm().read());
      const auto target = start.target(group);
      if (!target) {
        start.leave_out(group);
        continue;
      }
      GroupRun run = warm_up(task_.plan, task_.bodies, *target, parts_);
      if (!start.record(group, run, parts_.upstream.take())) start.stop();
    }
  }

  void visit_all(const Group& group, int group_number, int slice) {
    std::vector<Visit> visits;
    visits.reserve(starts_.size());
    for (const int place : slice_order(task_.plan.seed, task_.round, group_number, slice,
                                       static_cast<int>(starts_.size()))) {
      StartRun& start = starts_[static_cast<std::size_t>(place)];
      if (!start.up()) continue;
      const auto target = start.target(group);
      if (!target) continue;
      Visit visit;
      visit.start = &start;
      visit.run = run_slice(task_.plan, slice, task_.bodies, *target, parts_);
      visit.run.slice_position = static_cast<int>(visits.size()) + 1;
      visit.received = parts_.upstream.take();
      visits.push_back(std::move(visit));
    }
    for (Visit& visit : visits) {
      if (visit.run.window) visit.start->close_last(visit.run.window->begin);
      if (!visit.start->record(group, visit.run, visit.received)) visit.start->stop();
    }
  }

  const RoundTask& task_;
  const RunnerParts& parts_;
  RunLog& log_;
  std::deque<StartRun> starts_;  // in the round's order
};

}  // namespace

std::vector<std::string> progress_starts(const PlannedRound& planned) {
  if (planned.design == Design::sliced) return {std::string(name_of(Design::sliced))};
  return planned.order;
}

Result<void> run_round(const RoundTask& task, const RunnerParts& parts, RunLog& log) {
  if (task.planned.design == Design::sliced) return Sliced(task, parts, log).run();
  return OneByOne(task, parts, log).run();
}

}  // namespace tare::harness
