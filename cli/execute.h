// Carries out a plan with this machine's processes, clock and folders: what tare run and tare
// selftest share.
#pragma once

#include <filesystem>

#include "cli/places.h"
#include "common/error.h"
#include "harness/resume.h"
#include "harness/run_setup.h"
#include "harness/runner.h"

namespace tare::cli {

struct Executed : harness::RunResult {
  bool interrupted = false;
};

// Writes the folder whose run.json tells the end, also when that is an error. SIGINT, SIGTERM and
// SIGHUP end the run in good order and are as before afterwards. `cut`: the run to go on with;
// null: a new one.
Result<Executed> execute(const harness::Plan& plan, const harness::RunSetup& setup,
                         const Places& places, const std::filesystem::path& folder,
                         const harness::CutRun* cut);

}  // namespace tare::cli
