#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/places.h"
#include "common/clock.h"
#include "common/files.h"
#include "harness/arm_check.h"
#include "harness/arm_process.h"
#include "harness/installation.h"
#include "harness/manifest.h"

namespace tare::cli {
namespace {

std::string_view name_of(harness::ArmKind kind) {
  switch (kind) {
    case harness::ArmKind::direct:
      return "direct";
    case harness::ArmKind::forwarder:
      return "forwarder";
    case harness::ArmKind::compressor:
      return "compressor";
  }
  return "";
}

const char* state_of(const harness::Manifest& arm, const Places& places) {
  if (!harness::installed(arm, places.bin)) return "not installed";
  return harness::change_since_install(arm) ? "outdated" : "ready";
}

// A broken arm does not hide the others: its faults are printed below them.
int list(const Places& places) {
  std::vector<harness::Manifest> arms;
  std::vector<Error> faults;
  const auto names = harness::arm_names(places.arms);
  if (!names) return print_error(names.error());
  for (const auto& name : *names) {
    auto manifest = harness::read_manifest(places.arms / name);
    if (manifest) {
      arms.push_back(std::move(*manifest));
    } else {
      faults.push_back(manifest.error());
    }
  }
  fmt::print("{:<26} {:<11} {:<14} {:>9} {:>8}  {}\n", "arm", "kind", "state", "disk MB", "minutes",
             "title");
  for (const auto& arm : arms) {
    fmt::print("{:<26} {:<11} {:<14} {:>9} {:>8}  {}\n", arm.name, name_of(arm.kind),
               state_of(arm, places), arm.cost.disk_mb, arm.cost.install_minutes, arm.title);
  }
  for (const auto& fault : faults) print_error(fault);
  return faults.empty() ? 0 : faults.front().exit_code();
}

struct InstallWords {
  bool quiet = false;
  bool unless_expensive = false;
};

int install(const Places& places, const std::string& name, const InstallWords& words) {
  const auto arm = harness::find_manifest(places.arms, name);
  if (!arm) return print_error(arm.error());
  if (!words.quiet && arm->install && !harness::installed(*arm, places.bin)) {
    fmt::print(stderr, "{}: about {} MB on disk, {} minutes\n", name, arm->cost.disk_mb,
               arm->cost.install_minutes);
  }
  const auto identity = words.unless_expensive ? harness::install_unasked(*arm, places.bin)
                                               : harness::install(*arm, places.bin);
  if (!identity) return print_error(identity.error());
  if (!words.quiet) fmt::print("{}: {}\n", name, identity->json);
  return 0;
}

int check(const Places& places, const std::string& name) {
  const auto arm = harness::find_manifest(places.arms, name);
  if (!arm) return print_error(arm.error());
  const auto logs = harness::cache_folder() / "check";
  if (auto made = make_directories(logs); !made) return print_error(made.error());
  const auto starter = harness::make_arm_starter(system_clock(), places.bin, logs);
  const auto checked = harness::check_arm(
      *arm, places.bin, *starter, system_clock(), [](const harness::CheckStep& step) {
        fmt::print("{:<14} {:<7} {}\n", step.name, step.outcome ? "ok" : "failed",
                   step.outcome ? *step.outcome : step.outcome.error().text());
        std::fflush(stdout);
      });
  if (checked) return 0;
  fmt::print(stderr, "tare: {}: the check failed (its outputs are in {})\n", name, logs.string());
  return checked.error().exit_code();
}

int remove(const Places& places, const std::string& name) {
  const auto arm = harness::find_manifest(places.arms, name);
  if (!arm) return print_error(arm.error());
  const auto removed = harness::remove(*arm);
  if (!removed) return print_error(removed.error());
  fmt::print("{}: {}\n", name, *removed ? "removed" : "nothing to remove");
  return 0;
}

}  // namespace

void add_arms(CLI::App& app, int& exit_code) {
  auto* arms = app.add_subcommand("arms", "The systems to measure: arms/NAME/arm.json");
  arms->require_subcommand(1);
  auto name = std::make_shared<std::string>();
  auto words = std::make_shared<InstallWords>();

  auto* lists = arms->add_subcommand("list", "Each arm, and whether it can be run here");
  lists->callback([&app, &exit_code] { exit_code = list(places_of(app)); });

  auto* installs = arms->add_subcommand(
      "install", "Install an arm into the cache folder; at once when it is there already");
  installs->add_option("NAME", *name, "An arm's name")->required();
  installs->add_flag("--quiet", words->quiet, "Say nothing but what the installer and errors say");
  installs->add_flag("--unless-expensive", words->unless_expensive,
                     "Exit with 3 instead when the arm is marked as expensive and not there yet");
  installs->callback(
      [&app, &exit_code, name, words] { exit_code = install(places_of(app), *name, *words); });

  auto* checks = arms->add_subcommand(
      "check",
      "Hold an arm against the contract in docs/adding-an-arm.md: install, start, forward, "
      "repeat, disguise, stream, stop");
  checks->add_option("NAME", *name, "An arm's name")->required();
  checks->callback([&app, &exit_code, name] { exit_code = check(places_of(app), *name); });

  auto* removes = arms->add_subcommand("remove", "Remove what was installed of an arm");
  removes->add_option("NAME", *name, "An arm's name")->required();
  removes->callback([&app, &exit_code, name] { exit_code = remove(places_of(app), *name); });
}

}  // namespace tare::cli
