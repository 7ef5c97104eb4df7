// tare run: executes a plan and keeps its raw data.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/run_sums.h"
#include "analysis/verify.h"
#include "cli/execute.h"
#include "cli/places.h"
#include "cli/subcommands.h"
#include "cli/tokenizer.h"
#include "common/clock.h"
#include "common/whole_number.h"
#include "harness/needs.h"
#include "harness/resume.h"
#include "harness/run_setup.h"
#include "harness/runner.h"

namespace tare::cli {
namespace {

using namespace tare::harness;

struct Options {
  std::string plan = "published";
  std::vector<std::string> arms;
  std::optional<int> rounds;
  std::optional<std::uint64_t> seed;
  std::string out;
  std::string resume;
  bool require_all = false;
  bool arms_only = false;
  bool no_bodies = false;
};

Result<Plan> chosen_plan(const Options& options, const Places& places) {
  auto plan = read_plan(options.plan, places.plans);
  if (!plan) return plan;
  const auto whole = to_json(*plan);
  if (options.rounds) plan->rounds = *options.rounds;
  if (options.seed) plan->seed = *options.seed;
  if (!options.arms.empty()) {
    plan = with_arms(std::move(*plan), options.arms);
    if (!plan) return plan;
  }
  if (to_json(*plan) != whole) plan->title += " (with overrides)";
  return plan;
}

std::filesystem::path run_folder(const Options& options, const Plan& plan, const Clock& clock) {
  if (!options.out.empty()) return options.out;
  std::string stamp = iso8601(clock.wall_ns());
  std::erase_if(stamp, [](char c) { return c == '-' || c == ':'; });
  return std::filesystem::path("runs") / (plan.name + "-" + stamp);
}

// Whether the arms' decoders give the originals back is for reports to read, wherever they are
// made.
Result<void> verify(const std::filesystem::path& folder) {
  const auto verified = analysis::verify_decoders(folder, {}, make_tokenizer());
  if (!verified) return fail(verified.error());
  for (const auto& reason : verified->reasons) fmt::print(stderr, "decoder: {}\n", reason);
  return {};
}

// What quotes content: bodies, their scores line by line and what arms printed. Sizes, hashes,
// verdicts of decoders and token counts stay; so do names of a workload's files and markers.
Result<void> drop_bodies(const std::filesystem::path& folder) {
  for (const char* name : {"bodies", "scores.jsonl", "logs", "state"}) {
    std::error_code e;
    std::filesystem::remove_all(folder / name, e);
    if (e) return fail(Error::io_errno((folder / name).string(), e.value()));
  }
  return {};
}

// A refusal names the figures; arms that are not installed take no room.
Result<void> check_machine(const Plan& plan, const RunSetup& setup,
                           const std::filesystem::path& folder) {
  std::vector<Manifest> arms;
  for (const ArmToRun& arm : setup.arms) {
    if (arm.twin_of) continue;
    arms.push_back(arm.manifest);
    if (arm.not_installed) arms.back().cost.memory_mb = 0;
  }
  const auto needs = needs_of(plan, arms);
  if (!needs) return fail(needs.error());
  return check_room(*needs, room_for(folder));
}

// `cut`: the run to go on with; null: a new one.
Result<int> run(const Options& options, const Plan& plan, const CutRun* cut, const Places& places) {
  const auto setup = set_up(plan, places.arms, places.bin);
  if (!setup) return fail(setup.error());
  const auto folder = cut != nullptr ? std::filesystem::path(options.resume)
                                     : run_folder(options, plan, system_clock());
  if (auto fits = check_machine(plan, *setup, folder); !fits) return fail(fits.error());
  for (const auto& change : setup->changes) fmt::print(stderr, "tare: {}\n", change);
  if (cut != nullptr) {
    if (auto same = check_same_arms(*cut, setup->records); !same) return fail(same.error());
    if (auto removed = analysis::remove_run_sums(folder); !removed) return fail(removed.error());
  }
  const auto result = execute(plan, *setup, places, folder, cut);
  if (!result) return fail(result.error());
  if (!result->interrupted) {
    if (auto verified = verify(folder); !verified) return fail(verified.error());
    if (auto counted = count_tokens(folder); !counted) return fail(counted.error());
    if (options.no_bodies) {
      if (auto dropped = drop_bodies(folder); !dropped) return fail(dropped.error());
    }
    if (auto summed = analysis::write_run_sums(folder); !summed) return fail(summed.error());
  }

  for (const std::string& absent : result->absent) fmt::print(stderr, "not run: {}\n", absent);
  if (const auto& reason = result->incomplete) fmt::print(stderr, "incomplete: {}\n", *reason);
  const bool at_least = plan.protocol == Protocol::sliced;
  fmt::print("{}: {} {} {} measured requests, {} failed\nreport: tare report {}\n", folder.string(),
             result->totals.measured, at_least ? "of at least" : "of",
             result->totals.planned_measured, result->totals.failed_measured, folder.string());
  return result->incomplete || (options.require_all && !result->absent.empty()) ? 1 : 0;
}

Result<int> resume(const Options& options, const Places& places) {
  auto cut = read_cut_run(options.resume, system_clock().wall_ns());
  if (!cut) return fail(cut.error());
  cut->plan.home = places.plans.parent_path().parent_path();
  return run(options, cut->plan, &*cut, places);
}

Result<int> start(const Options& options, const Places& places) {
  const auto plan = chosen_plan(options, places);
  if (!plan) return fail(plan.error());
  if (!options.arms_only) return run(options, *plan, nullptr, places);
  for (const auto& arm : plan->arms) fmt::print("{}\n", arm);
  return 0;
}

}  // namespace

void add_run(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand(
      "run", "Run a plan: start each arm fresh, send it the same requests, keep every sample");
  auto options = std::make_shared<Options>();
  auto* plan =
      command->add_option("PLAN", options->plan, "A name in data/plans, or a path to a file")
          ->capture_default_str();
  auto* arms =
      command
          ->add_option("--arms", options->arms,
                       "Run these arms only: those of the plan keep its order, others follow")
          ->delimiter(',')
          ->allow_extra_args(false)
          ->type_name("NAME,...");
  auto* rounds = command->add_option("--rounds", options->rounds, "Rounds instead of the plan's")
                     ->check(CLI::Range(1, 1000))
                     ->type_name("N");
  auto* out = command
                  ->add_option("--out", options->out,
                               "New folder for the raw data (runs/PLAN-TIME if absent)")
                  ->type_name("DIR");
  auto* seed = command->add_option("--seed", options->seed, "Seed instead of the plan's")
                   ->check(fault_of_whole_number)
                   ->type_name("N");
  auto* resumed =
      command
          ->add_option(
              "--resume", options->resume,
              "Go on with the run in this folder that was cut off: whole rounds are kept, and "
              "its plan and arms must be what they were")
          ->excludes(plan)
          ->excludes(arms)
          ->excludes(rounds)
          ->excludes(out)
          ->excludes(seed)
          ->type_name("DIR");
  command->add_flag("--require-all", options->require_all,
                    "Exit with 1 when an arm is not installed or does not start");
  command->add_flag(
      "--no-bodies", options->no_bodies,
      "Keep no request bodies, no scores that quote them and no logs of arms once the run "
      "has ended well: for private content");
  auto* arms_only = command->add_flag(
      "--arms-only", options->arms_only,
      "Print the names of the arms that would be run, a line each, and run nothing");
  resumed->excludes(arms_only);
  command->callback([&app, &exit_code, options] {
    const auto code = options->resume.empty() ? start(*options, places_of(app))
                                              : resume(*options, places_of(app));
    exit_code = code ? *code : print_error(code.error());
  });
}

}  // namespace tare::cli
