// What becomes of processes that a test started, by their ids.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <thread>

#include "common/files.h"

namespace tare::test {

// A zombie that nobody has waited for yet counts as gone.
inline bool runs(pid_t pid) {
  const auto stat = read_file("/proc/" + std::to_string(pid) + "/stat");
  return stat && stat->find(") Z") == std::string::npos;
}

// Whether it ends soon; generous, for busy machines.
inline bool goes_away(pid_t pid) {
  for (int i = 0; i < 4'000 && runs(pid); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return !runs(pid);
}

}  // namespace tare::test
