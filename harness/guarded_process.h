// A process tree that cannot outlive its owner: tare-guard, a small program of ours, starts the
// command and stands between the two.
//
// The guard is a child subreaper, so whatever the tree does (orphans, daemons) stays below it; it
// adds up the CPU of all that ended, and when its owner stops or dies, however it dies, it kills
// what is left, removes the cgroups and the folders it was told of, and ends. A GuardedProcess
// belongs to one thread; its destructor does not wait for a graceful end.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/error.h"
#include "common/subprocess.h"

namespace tare::harness {

struct GuardedOptions {
  std::filesystem::path guard;  // the tare-guard program
  std::vector<std::string> argv;
  std::vector<std::string> environment;
  std::filesystem::path working_directory;
  std::filesystem::path stdout_file;
  std::filesystem::path stderr_file;
  std::vector<std::filesystem::path> cgroups;  // folders: entered by the tree, removed at the end
  std::filesystem::path remove_folder;         // removed at the end; may be empty
  std::string private_host;  // a name for loopback that only the tree knows; may be empty
};

// How the tree's root ended.
struct RootEnd {
  std::optional<int> exit_code;
  std::optional<int> exit_signal;
  std::int64_t time_ns = 0;  // CLOCK_MONOTONIC, reaped

  std::string text() const;  // "exit code 3", "signal 9"
};

struct GuardedEnd {
  RootEnd root;
  bool killed = false;         // the root did not end within the grace time
  int leaked_processes = 0;    // alive a second after the root's end, then killed
  std::int64_t rusage_us = 0;  // CPU of every process of the tree that somebody waited for
};

class GuardedProcess {
 public:
  // Errors: those of Subprocess::start for the command, and missing when the guard is not there.
  static Result<GuardedProcess> start(const GuardedOptions& options);

  GuardedProcess(GuardedProcess&&) noexcept;
  GuardedProcess& operator=(GuardedProcess&&) = delete;
  ~GuardedProcess();

  pid_t guard_pid() const { return guard_.pid(); }
  std::int64_t began_ns() const { return began_ns_; }  // CLOCK_MONOTONIC, just before the fork

  // The root's end, once it has ended. Does not wait.
  std::optional<RootEnd> root_end();

  // SIGTERM to the root, `grace` to end, SIGKILL; then the rest of the tree gets a second to go.
  // When this returns nothing of the tree runs; its cgroups are still there. Errors: crashed (the
  // guard is gone).
  Result<GuardedEnd> stop(std::chrono::milliseconds grace);

  // Lets the guard clean up and end. Called by the destructor too.
  void release();

 private:
  GuardedProcess(Subprocess guard, int channel_fd)
      : guard_(std::move(guard)), channel_fd_(channel_fd) {}
  // The next line of the guard's report; nothing when none comes within `limit` or it is gone.
  std::optional<std::string> next_line(std::chrono::milliseconds limit);

  Subprocess guard_;
  int channel_fd_ = -1;
  std::int64_t began_ns_ = 0;
  std::string buffer_;
  bool guard_gone_ = false;
  std::optional<RootEnd> root_end_;
};

}  // namespace tare::harness
