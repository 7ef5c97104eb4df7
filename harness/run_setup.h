// From a plan to what run_plan() takes: the arms as chosen, their manifests, what is installed, and
// run.json's first text. Reads files; starts nothing.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/error.h"
#include "harness/plan.h"
#include "harness/records.h"
#include "harness/runner.h"

namespace tare::harness {

// The plan with these arms only: those it has in its own order, then others in the order given. Of
// its rotating arms those that are left rotate. Errors: usage when a name stands twice.
Result<Plan> with_arms(Plan plan, const std::vector<std::string>& names);

struct RunSetup {
  std::vector<ArmToRun> arms;
  std::vector<ArmRecord> records;
  std::vector<std::string> changes;  // "ARM: ...": folders that changed since they were installed
};

// Errors: usage for an unknown arm (with the names there are), invalid for a manifest.
Result<RunSetup> set_up(const Plan& plan, const std::filesystem::path& arms_folder,
                        const std::filesystem::path& bin);

}  // namespace tare::harness
