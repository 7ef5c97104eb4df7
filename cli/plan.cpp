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
#include "harness/needs.h"
#include "harness/schedule.h"

namespace tare::cli {
namespace {

// Rows of one arm in a plan of many rounds tell little: so many are shown.
constexpr std::size_t shown_rounds = 6;

void print_order(const harness::Plan& plan) {
  fmt::print("\norder\n");
  const auto rounds = harness::rounds_of(plan);
  for (std::size_t i = 0; i < std::min(rounds.size(), shown_rounds); ++i) {
    const bool published = rounds[i].design == harness::Design::published;
    const std::string design =
        published ? "" : fmt::format(" ({})", harness::name_of(rounds[i].design));
    fmt::print("  round {}{}: {}\n", i + 1, design, fmt::join(rounds[i].order, ", "));
  }
  if (rounds.size() > shown_rounds) fmt::print("  and {} more\n", rounds.size() - shown_rounds);
}

void print_needs(const harness::Plan& plan, const harness::Needs& needs) {
  const bool sliced = plan.protocol == harness::Protocol::sliced;
  const auto each =
      sliced ? fmt::format(
                   "{} slices a group and start in sliced rounds, {} requests in isolated ones",
                   plan.slicing.groups, plan.slicing.isolated_requests)
             : fmt::format("{} a group and start, or each body once", plan.requests);
  fmt::print("starts: {}\nmeasured requests: {}{} ({})\n", needs.starts, sliced ? "about " : "",
             needs.measured, each);
  fmt::print("warm-up requests: {} ({} a group and start)\n", needs.warmups, plan.warmups);
  fmt::print("takes about {:.1f} minutes once its arms are installed\n", needs.minutes);
  fmt::print(
      "needs about {:.0f} MB of disk for its arms, {:.1f} MB for the run, {:.0f} MB of memory\n",
      needs.arms_disk_mb, needs.run_disk_mb, needs.memory_mb);
  for (const auto& assumption : needs.assumptions) fmt::print("assumed: {}\n", assumption);
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
  const auto needs = harness::needs_of(*plan, arms);
  if (!needs) return print_error(needs.error());
  fmt::print("{}: {}\n\narms\n", plan->name, plan->title);
  for (const auto& arm : arms) fmt::print("  {:<20} {}\n", arm.name, arm.title);
  const auto& twin_of = plan->slicing.twin_of;
  if (const auto twin = harness::twin_name(*plan); twin && twin_of) {
    fmt::print("  {:<20} a second copy of {}\n", *twin, *twin_of);
  }
  print_order(*plan);
  std::vector<std::string> groups;
  for (const auto& group : plan->groups) {
    groups.push_back(
        fmt::format("{}/{}", harness::name_of(group.task), harness::name_of(group.mode)));
  }
  fmt::print("\ngroups of each start: {}\n", fmt::join(groups, ", "));
  print_needs(*plan, *needs);
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
