// What a run is made on: read once before the first start, printed in every report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tare::harness {

struct Environment {
  std::string kernel;     // "Linux 6.1.0 x86_64"
  std::string cpu_model;  // empty when the system does not say
  int cores = 0;          // those this process may run on
  std::int64_t memory_bytes = 0;
  std::string distribution;  // "Debian GNU/Linux 12 (bookworm)"
  std::optional<std::string> governor;
  std::optional<std::string> turbo;       // "on", "off"
  std::optional<std::string> smt;         // "on", "off"
  std::optional<std::string> huge_pages;  // "always", "madvise", "never"
  std::optional<double> steal_share;      // of all CPU time since boot
  std::vector<std::string> cpu_flags;     // those of interest that this CPU has: "avx2", ...
  double load_average = 0;                // of the last minute
  char cgroup_grade = 'B';
  std::string cgroup;
  std::vector<std::string> limits;  // what cannot be measured here, in plain words
};

Environment audit_environment();

}  // namespace tare::harness
