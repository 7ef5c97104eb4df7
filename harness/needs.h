// What a plan will take, from what its arms' manifests declare and from what runs have shown of
// rows and bodies; and whether this machine has it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "common/error.h"
#include "harness/manifest.h"
#include "harness/plan.h"

namespace tare::harness {

struct Needs {
  std::int64_t starts = 0;
  std::int64_t measured = 0;  // requests; of a sliced plan about as many
  std::int64_t warmups = 0;
  double minutes = 0;
  double arms_disk_mb = 0;  // once they are installed
  double run_disk_mb = 0;
  double memory_mb = 0;  // the arms that are up together, and the harness
  std::vector<std::string> assumptions;
};

// `arms`: the manifests of the plan's arms (without its twin), in its order. Rounds that are
// discarded and carried out anew are not in it. Errors: those of the plan's workloads.
Result<Needs> needs_of(const Plan& plan, const std::vector<Manifest>& arms);

struct Room {
  double disk_mb = 0;
  double memory_mb = 0;
};
// What is free where the run is to be written (its nearest folder that is there), and in memory.
Room room_for(const std::filesystem::path& run_folder);

// Errors: missing, with the figures of both, when the machine cannot hold the run.
Result<void> check_room(const Needs& needs, const Room& room);

}  // namespace tare::harness
