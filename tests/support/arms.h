// Arms for tests: manifests made in code around the program of tests/support/shapes.cpp.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/arm_process.h"
#include "tests/support/temporary_folder.h"

namespace tare::test {

inline harness::Manifest shape(std::vector<std::string> words) {
  harness::Manifest manifest;
  manifest.name = "shape-" + words.front();
  manifest.command = std::move(words);
  manifest.command.insert(manifest.command.begin(), TARE_SUPPORT_DIR "/shapes");
  manifest.ready.stdout_line = true;
  manifest.ready.within_s = 120;
  return manifest;
}

}  // namespace tare::test
