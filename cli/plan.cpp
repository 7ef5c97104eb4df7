#include "harness/plan.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "cli/places.h"
#include "harness/manifest.h"

namespace tare::cli {
namespace {

// What a run keeps besides the arms: its rows, and its distinct bodies, compressed.
constexpr double row_bytes = 250;
constexpr double body_bytes = 4000;
constexpr double harness_memory_mb = 60;

struct Needs {
  double minutes = 0;
  double disk_mb = 0;
  double run_mb = 0;
  double memory_mb = 0;  // one arm at a time, and the harness
};

Needs estimate(const harness::Plan& plan, const std::vector<harness::Manifest>& arms) {
  Needs needs{.minutes = 0, .disk_mb = 0, .run_mb = 0, .memory_mb = harness_memory_mb};
  const auto per_start = static_cast<double>(plan.groups.size()) * (plan.warmups + plan.requests);
  double largest_mb = 0;
  for (const auto& arm : arms) {
    const double start_s = arm.cost.start_s + per_start * arm.cost.request_ms / 1000;
    needs.minutes += plan.rounds * start_s / 60;
    needs.disk_mb += arm.cost.disk_mb;
    needs.run_mb += (per_start * plan.rounds * row_bytes + per_start * body_bytes) / 1e6;
    largest_mb = std::max(largest_mb, arm.cost.memory_mb);
  }
  needs.memory_mb += largest_mb;
  return needs;
}

int show(const Places& places, const std::string& name) {
  const auto plan = harness::read_plan(name, places.plans);
  if (!plan) return print_error(plan.error());
  std::vector<harness::Manifest> arms;
  for (const auto& arm : plan->arms) {
    auto manifest = harness::find_manifest(places.arms, arm);
    if (!manifest) return print_error(manifest.error());
    arms.push_back(std::move(*manifest));
  }
  fmt::print("{}: {}\n\narms\n", plan->name, plan->title);
  for (const auto& arm : arms) fmt::print("  {:<20} {}\n", arm.name, arm.title);
  fmt::print("\norder\n");
  for (int round = 1; round <= plan->rounds; ++round) {
    fmt::print("  round {}: {}\n", round, fmt::join(harness::arms_of_round(*plan, round), ", "));
  }
  std::vector<std::string> groups;
  for (const auto& group : plan->groups) {
    groups.push_back(
        fmt::format("{}/{}", harness::name_of(group.task), harness::name_of(group.mode)));
  }
  fmt::print("\ngroups of each start: {}\n", fmt::join(groups, ", "));
  const auto starts = plan->rounds * static_cast<int>(arms.size());
  const auto group_count = static_cast<int>(groups.size());
  fmt::print("starts: {}\nmeasured requests: {} ({} a group and start)\n", starts,
             starts * group_count * plan->requests, plan->requests);
  fmt::print("warm-up requests: {} ({} a group and start)\n", starts * group_count * plan->warmups,
             plan->warmups);
  const auto needs = estimate(*plan, arms);
  fmt::print("takes about {:.1f} minutes once its arms are installed\n", needs.minutes);
  fmt::print(
      "needs about {:.0f} MB of disk for its arms, {:.1f} MB for the run, {:.0f} MB of memory\n",
      needs.disk_mb, needs.run_mb, needs.memory_mb);
  return 0;
}

}  // namespace

void add_plan(CLI::App& app, int& exit_code) {
  auto* plan = app.add_subcommand("plan", "What is to be run: data/plans/NAME.json");
  plan->require_subcommand(1);
  auto* command = plan->add_subcommand(
      "show", "Print a plan's arms, order and requests, and what it will take");
  auto name = std::make_shared<std::string>();
  command->add_option("PLAN", *name, "A name in data/plans, or a path to a file")->required();
  command->callback([&app, &exit_code, name] { exit_code = show(places_of(app), *name); });
}

}  // namespace tare::cli
