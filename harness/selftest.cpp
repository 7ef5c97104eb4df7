#include "harness/selftest.h"

#include <fmt/format.h>

#include <map>

namespace tare::harness {
namespace {

std::vector<std::string> dose_of(const std::string& name) {
  const std::map<std::string, std::vector<std::string>> doses{
      {DoseArms::cpu, {"--cpu-us", fmt::format("{}", dose_cpu_us)}},
      {DoseArms::memory,
       {"--memory-bytes", fmt::format("{}", dose_memory_bytes), "--pad-bytes",
        fmt::format("{}", dose_pad_bytes)}},
      {DoseArms::sleep_short, {"--sleep-us", fmt::format("{}", dose_sleep_short_us)}},
      {DoseArms::sleep_long, {"--sleep-us", fmt::format("{}", dose_sleep_long_us)}}};
  const auto dose = doses.find(name);
  return dose != doses.end() ? dose->second : std::vector<std::string>{};
}

Manifest manifest_of(const std::string& name) {
  Manifest manifest;
  manifest.name = name;
  manifest.title = "the dose arm: " + name;
  manifest.kind = ArmKind::forwarder;
  manifest.licence = "Apache-2.0";
  manifest.command = {"{bin}/tare-dose", "--upstream", "{upstream}"};
  for (auto& word : dose_of(name)) manifest.command.push_back(std::move(word));
  manifest.ready.stdout_line = true;
  manifest.routes = {{"responses", "/v1/responses"}};
  return manifest;
}

}  // namespace

Plan selftest_plan(int rounds, std::uint64_t seed) {
  Plan plan;
  plan.name = "selftest";
  plan.title = "Known doses of CPU, time, memory and bytes, and two copies without any";
  plan.protocol = Protocol::sliced;
  plan.rounds = rounds;
  plan.seed = seed;
  plan.arms = {DoseArms::plain, DoseArms::cpu, DoseArms::memory, DoseArms::sleep_short,
               DoseArms::sleep_long};
  plan.groups = {published_group(Task::logs, Mode::repeated)};
  plan.any_failure_makes_incomplete = false;
  plan.slicing.twin_of = DoseArms::plain;
  plan.slicing.most_requests = 50;
  plan.slicing.margins = {{"latency", 0.05}, {"cpu", 0.05}, {"memory", 0.05}};
  return plan;
}

RunSetup selftest_setup(const Plan& plan) {
  RunSetup setup;
  for (const std::string& name : arms_and_twin(plan)) {
    ArmToRun arm{
        .manifest = manifest_of(name), .twin_of = std::nullopt, .not_installed = std::nullopt};
    ArmRecord record;
    record.name = name;
    record.title = arm.manifest.title;
    record.kind = "forwarder";
    record.licence = arm.manifest.licence;
    record.command = arm.manifest.command;
    record.claims_lossless = true;
    if (name == twin_name(plan)) arm.twin_of = record.twin_of = plan.slicing.twin_of;
    setup.arms.push_back(std::move(arm));
    setup.records.push_back(std::move(record));
  }
  return setup;
}

}  // namespace tare::harness
