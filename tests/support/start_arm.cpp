// start_arm BIN SHAPES WORD: starts the arm "SHAPES WORD" as `tare run` would and waits to be
// killed. Prints "STATE_FOLDER PID ..." of the arm's processes when it is ready.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "common/clock.h"
#include "common/files.h"
#include "harness/arm_process.h"
#include "harness/process_tree.h"

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  tare::harness::Manifest manifest;
  manifest.name = "started";
  manifest.command = {argv[2], argv[3], "{state}"};
  manifest.ready.stdout_line = true;
  const auto logs = tare::make_temporary_directory("tare-test-logs");
  if (!logs) return 1;
  auto starter = tare::harness::make_arm_starter(tare::system_clock(), argv[1], *logs);
  auto arm = starter->start(manifest, {}, "http://127.0.0.1:1");
  std::error_code ignored;
  std::filesystem::remove_all(*logs, ignored);
  if (!arm) {
    fmt::print(stderr, "{}\n", arm.error().text());
    return 1;
  }
  fmt::print("{}", (*arm)->argv().back());
  for (const auto pid : tare::harness::descendants(::getpid())) fmt::print(" {}", pid);
  fmt::print("\n");
  std::fflush(stdout);
  for (;;) ::pause();
}
