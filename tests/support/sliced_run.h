// Writes the run folder of a made sliced plan, deterministic and of any size, without holding it in
// memory: for tests of what reads run folders, and for measuring how reports scale.
//
// Arms: direct, control, control-twin, nginx, tare, headroom-0.37.0, with latencies, CPU and memory
// of their own (see sliced_run.cpp) times noise: 3 % a start, 5 % a slice, and the machine's drift.
// tare is faster and smaller than HeadRoom, slower than nginx and control, and as large as control.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace tare::test {

struct SlicedRun {
  int rounds = 12;
  int isolated_rounds = 3;
  int slice_groups = 20;
  int requests_a_slice = 3;
  int isolated_requests = 40;
  int bodies = 20;       // distinct ones a task
  int body_bytes = 400;  // of each
  bool keep_bodies = true;
  int discarded_rounds = 1;  // besides, for the canary
  int failing_requests = 0;  // of tare, in logs/unique: status 500
  double tare_latency = 1;   // times its usual figures
  double tare_cpu = 1;
  std::string cpu_model = "a CPU";
  std::string state = "complete";
  std::uint64_t seed = 1;

  // Into a folder that is made. Throws std::runtime_error when it cannot be written.
  void write(const std::filesystem::path& folder) const;
};

}  // namespace tare::test
