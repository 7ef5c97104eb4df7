#include "harness/runner.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "harness/gates.h"
#include "harness/round_run.h"
#include "harness/run_log.h"

namespace tare::harness {
namespace {

class Runner {
 public:
  Runner(const Plan& plan, const std::vector<ArmToRun>& arms, const RunnerParts& parts,
         const RunPoint& from, BodyStore bodies)
      : plan_(plan),
        arms_(arms),
        parts_(parts),
        from_(from),
        bodies_(std::move(bodies)),
        log_(plan, arms, bodies_, parts, from),
        watch_(parts.machine, ::getpid()),
        last_round_(from.last_round) {}

  Result<RunResult> run() {
    if (from_.gap) log_.event("resumed", std::nullopt, std::nullopt, *from_.gap);
    if (!from_.workload_kept) {
      if (auto recorded = log_.record_workload(bodies_); !recorded) return fail(recorded.error());
    }
    const auto rounds = rounds_of(plan_);
    int attempts = from_.attempts;
    auto replaces = from_.replaces;
    for (auto at = static_cast<std::size_t>(from_.rounds_done); at < rounds.size(); ++at) {
      if (auto carried = carry_out(rounds[at], attempts, replaces); !carried) {
        return fail(carried.error());
      }
      if (parts_.interrupt != 0) break;
      attempts = 0;
      replaces.reset();
    }
    if (parts_.interrupt != 0) {
      log_.event("interrupted", std::nullopt, std::nullopt, log_.interrupted_by());
      if (auto committed = log_.commit(); !committed) return fail(committed.error());
    }
    return log_.result();
  }

 private:
  // A planned round, until one attempt at it counts or each was discarded.
  Result<void> carry_out(const PlannedRound& planned, int attempts, std::optional<int> replaces) {
    while (attempts < most_attempts) {
      RoundRow row;
      row.round = ++last_round_;
      row.design = planned.design;
      row.block = planned.block;
      row.order = planned.order;
      row.attempt = ++attempts;
      row.replaces = replaces;
      if (auto ran = attempt(planned, row); !ran) return ran;
      if (parts_.interrupt != 0 || !row.discarded) return {};
      parts_.progress.again(progress_starts(planned).size());
      replaces = row.round;
      if (attempts == most_attempts) {
        log_.missed(missed_reason(row.round, name_of(*row.discarded)));
      }
    }
    return {};
  }

  Result<void> attempt(const PlannedRound& planned, RoundRow& row) {
    watch_.begin();
    row.begin_ns = parts_.clock.monotonic_ns();
    auto ran = run_round({plan_, planned, row.round, arms_, bodies_}, parts_, log_);
    row.end_ns = parts_.clock.monotonic_ns();
    if (!ran || parts_.interrupt != 0) return ran;
    row.conditions = watch_.end();
    judge(row);
    log_.end_round(row);
    return log_.commit();
  }

  // The published protocol knows no discarded rounds: it is told, and the round counts.
  void judge(RoundRow& row) {
    const auto duration_ns = row.end_ns - row.begin_ns;
    if (const auto step = clock_step(row.conditions, duration_ns)) {
      log_.event("clock_step", std::nullopt, row.round, step->message);
    }
    const auto discard = gate(row.conditions, watch_.usual_canary_ns(), duration_ns);
    if (!discard) return;
    const bool discards = row.design != Design::published;
    if (discards) row.discarded = discard->cause;
    log_.event(discards ? "round_discarded" : "gate", std::nullopt, row.round,
               fmt::format("{}: {}", name_of(discard->cause), discard->message));
    if (discards) {
      parts_.progress.note(fmt::format("round {} discarded: {}", row.round, discard->message));
    }
  }

  const Plan& plan_;
  const std::vector<ArmToRun>& arms_;
  const RunnerParts& parts_;
  const RunPoint& from_;
  const BodyStore bodies_;
  RunLog log_;
  RoundWatch watch_;
  int last_round_;
};

}  // namespace

std::string missed_reason(int round, std::string_view cause) {
  return fmt::format("round {}: discarded, as was each attempt before: {}", round, cause);
}

Result<RunResult> run_plan(const Plan& plan, const std::vector<ArmToRun>& arms,
                           const RunnerParts& parts, const RunPoint& from) {
  auto bodies = BodyStore::make(plan, distinct_bodies(plan));
  if (!bodies) return fail(bodies.error());
  return Runner(plan, arms, parts, from, std::move(*bodies)).run();
}

}  // namespace tare::harness
