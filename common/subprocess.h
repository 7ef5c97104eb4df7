// One child process in a process group of its own, watched through a pidfd.
//
// The harness starts arms with it and everything else that runs programs (installers, decoders,
// tests) too. A Subprocess belongs to one thread. Its destructor kills the group and reaps the
// child when neither wait() nor stop() has seen its end. A process that leaves its group escapes
// all this: what must not escape is started through harness/guarded_process.h.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"

namespace tare {

struct SubprocessOptions {
  // argv[0] is looked up in PATH of `environment` when it holds no '/'.
  std::vector<std::string> argv;
  std::optional<std::vector<std::string>> environment;  // "NAME=value"; absent: the parent's
  std::filesystem::path working_directory;              // empty: the parent's
  std::filesystem::path stdin_file;                     // empty: /dev/null
  std::filesystem::path stdout_file;                    // empty: /dev/null; created or truncated
  std::filesystem::path stderr_file;                    // empty: /dev/null; may equal stdout_file
  // Files (cgroup.procs) into which the child writes its own id between fork and exec, so that
  // nothing it does is accounted elsewhere. A write that fails fails the start.
  std::vector<std::filesystem::path> enter_cgroups;
  // Open descriptors in place of the files above; all others are closed in the child.
  int stdin_fd = -1;
  int stdout_fd = -1;
  // SIGKILL for the child when the thread that started it ends. Its own children are not covered.
  bool dies_with_parent = false;
  // SIGXFSZ for the child when it writes more than this into a file, such as the ones above; 0: no
  // limit.
  std::size_t max_file_bytes = 0;
};

struct ExitStatus {
  std::optional<int> code;    // exited
  std::optional<int> signal;  // killed by
  rusage usage{};             // of the child and of its children that it waited for

  bool ok() const { return code == 0; }
  std::string text() const;  // "exit code 3", "signal 9 (Killed)"
};

class Subprocess {
 public:
  // Errors: missing (the program is not there), io (fork, exec, files, cgroup), each naming
  // argv[0].
  static Result<Subprocess> start(const SubprocessOptions& options);

  Subprocess(Subprocess&& other) noexcept;
  Subprocess& operator=(Subprocess&& other) noexcept;
  ~Subprocess();

  pid_t pid() const { return pid_; }
  bool reaped() const { return status_.has_value(); }

  // Waits up to `limit` for the end; nothing when it still runs then. Once ended, always the same
  // status.
  std::optional<ExitStatus> wait(std::chrono::milliseconds limit);

  // Sends a signal to the process, or to its whole group. Nothing happens once it is reaped.
  void signal(int number);
  void signal_group(int number);

  // SIGTERM to the process, `grace` to end, then SIGKILL to what is left of the group; reaps.
  ExitStatus stop(std::chrono::milliseconds grace);

 private:
  Subprocess(pid_t pid, int pidfd) : pid_(pid), pidfd_(pidfd) {}
  friend Result<struct Output> run_to_end(SubprocessOptions options, std::string_view input,
                                          std::chrono::milliseconds limit);
  bool ends_within(std::chrono::milliseconds limit) const;
  ExitStatus kill_group_and_reap() noexcept;
  ExitStatus reap() noexcept;
  void finish() noexcept;

  pid_t pid_ = -1;
  int pidfd_ = -1;
  std::optional<ExitStatus> status_;
};

// Runs to the end with the text on stdin; what it leaves running in its group is killed, and so is
// all of it when SIGINT, SIGTERM or SIGHUP comes to the calling thread (common/held_signals.h says
// what a program with several threads has to do) or when that thread ends. Errors: those of
// start(), timed_out, crashed (such a signal came). A non-zero exit is no error here.
struct Output {
  ExitStatus status;
  std::string out;
  std::string err;
};
Result<Output> run_to_end(SubprocessOptions options, std::string_view input,
                          std::chrono::milliseconds limit);

}  // namespace tare
