#include "cli/execute.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <string>
#include <vector>

#include "common/clock.h"
#include "harness/environment.h"
#include "harness/round_run.h"

namespace tare::cli {
namespace {

using namespace tare::harness;

std::atomic<int> interrupt = 0;
static_assert(std::atomic<int>::is_always_lock_free);

// The run sees the flag between requests, stops the arm and closes the folder.
void install_signal_handlers() {
  struct sigaction action{};
  action.sa_handler = [](int number) { interrupt = number; };
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(number, &action, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
}

// The run is kept: what comes after it may be cut off, and done again by tare verify.
void let_signals_end_the_program() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::signal(number, SIG_DFL);
}

std::int64_t thread_cpu_us() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return std::int64_t{t.tv_sec} * 1'000'000 + t.tv_nsec / 1000;
}

Progress make_progress(const Plan& plan, Clock& clock) {
  std::vector<std::string> starts;
  for (const auto& round : rounds_of(plan)) {
    for (auto& start : progress_starts(round)) starts.push_back(std::move(start));
  }
  return {clock, stderr, ::isatty(STDERR_FILENO) == 1, std::move(starts),
          static_cast<int>(plan.groups.size())};
}

// `document` becomes run.json's end.
Result<RunResult> carry_out(const Plan& plan, const RunSetup& setup, const Places& places,
                            const std::filesystem::path& folder, const CutRun* cut,
                            RunDocument& document) {
  Clock& clock = system_clock();
  auto upstream = start_upstream(clock, cut != nullptr ? cut->last_upstream_request : 0);
  if (!upstream) return fail(upstream.error());
  auto recorder =
      cut != nullptr ? reopen_recorder(folder, document) : make_recorder(folder, document);
  if (!recorder) return fail(recorder.error());
  StarterOptions starter_options;
  starter_options.interrupt = &interrupt;
  const auto kept_state = std::filesystem::absolute(folder / "state");
  if (plan.slicing.state_kept) starter_options.kept_state = kept_state;
  const auto starter = make_arm_starter(
      clock, places.bin, std::filesystem::absolute(folder / "logs"), starter_options);
  Progress progress = make_progress(plan, clock);
  const auto machine = make_machine(clock);
  const RunnerParts parts{
      .clock = clock,
      .starter = *starter,
      .upstream = **upstream,
      .make_client = [&clock] { return make_client(clock, interrupt); },
      .thread_cpu_us = &thread_cpu_us,
      .recorder = **recorder,
      .progress = progress,
      .machine = *machine,
      .interrupt = interrupt,
      .meter_source = document.environment.cgroup_grade == 'A' ? "cgroup" : "proc",
      .sample_every = std::chrono::milliseconds(250),
  };
  const RunPoint point = cut != nullptr ? cut->point : RunPoint{};
  auto result = run_plan(plan, setup.arms, parts, point);
  progress.finish();
  document.ended_at = iso8601(clock.wall_ns());
  document.incomplete = result ? result->incomplete : result.error().message;
  if (result) document.totals = result->totals;
  const auto finished = (*recorder)->finish(document);
  if (result && !finished) return fail(finished.error());
  if (!document.incomplete) {  // else the run can go on, and then its arms find their state
    std::error_code ignored;
    std::filesystem::remove_all(kept_state, ignored);
  }
  return result;
}

}  // namespace

Result<Executed> execute(const Plan& plan, const RunSetup& setup, const Places& places,
                         const std::filesystem::path& folder, const CutRun* cut) {
  install_signal_handlers();
  RunDocument document;
  document.started_at = cut != nullptr ? cut->started_at : iso8601(system_clock().wall_ns());
  document.plan_json = to_json(plan);
  document.environment = audit_environment();
  document.arms = setup.records;
  auto result = carry_out(plan, setup, places, folder, cut, document);
  if (!result) return fail(result.error());
  let_signals_end_the_program();
  return Executed{std::move(*result), interrupt != 0};
}

}  // namespace tare::cli
