// One start of an arm: a fresh process tree in a cgroup of its own, from exec to the empty cgroup.
//
// The runner drives it: start -> (measurements) -> stop. A StartedArm belongs to one thread, but
// for sample(); its destructor kills what is left. Whatever becomes of the harness, kill -9 too, no
// process, cgroup or state folder stays behind: see harness/guarded_process.h. How CPU and memory
// are read, and why: docs/decisions.md, "Measuring a process tree".
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/clock.h"
#include "common/error.h"
#include "harness/manifest.h"

namespace tare::harness {

// What this machine lets us measure.
struct MeterGrade {
  char grade = 'B';                 // 'A': cgroups for CPU and memory; 'B': wait4 and /proc
  std::string where;                // the files read
  std::vector<std::string> limits;  // what cannot be measured here, in plain words, with the
                                    // command that would better it
};
MeterGrade probe_meters();

// One reading; a field that cannot be read here is absent.
struct Reading {
  std::int64_t time_ns = 0;
  std::optional<std::int64_t> cpu_us;      // since the start
  std::optional<std::int64_t> anon_bytes;  // anonymous memory of the tree
};

struct StopReport {
  std::optional<int> exit_code;
  std::optional<int> exit_signal;
  bool killed = false;  // did not end within the grace time
  std::int64_t ended_ns = 0;
  std::optional<std::int64_t> cpu_total_us;
  std::optional<std::int64_t> rusage_total_us;
  std::optional<char> grade;  // 'A': the two agree; 'B': they do not, or fallback
  std::optional<std::int64_t> peak_bytes;
  bool peak_since_warmup = false;
  int leaked_processes = 0;
  std::vector<std::string> events;  // "unreaped_children: ...", "leaked_processes: ..."
  // A fault of ours: the start's figures are not to be used. "the cgroup saw ..."
  std::optional<std::string> fault;
};

class StartedArm {
 public:
  virtual ~StartedArm() = default;
  virtual const std::vector<std::string>& argv() const = 0;
  virtual const std::string& base_url() const = 0;
  // The forward proxy through which base_url() is asked; empty: none.
  virtual std::string proxy() const { return {}; }
  // Its state folder; empty: none.
  virtual std::string state() const { return {}; }
  virtual std::int64_t began_ns() const = 0;
  virtual std::int64_t ready_ns() const = 0;
  // Cheap enough to call right before a window and right after it.
  virtual Reading read() = 0;
  // What can be read with a system call each (absent otherwise: grade B). May be called from
  // another thread, a Sampler's, between start and stop, while the owner calls the rest.
  virtual Reading sample() const = 0;
  // Slow (2-16 ms): outside any window only.
  virtual std::optional<std::int64_t> private_bytes() = 0;
  // After the warm-up: from here on the peak counts, where the kernel can reset it.
  virtual void reset_peak() = 0;
  // "ended with exit code 1: LAST LINES OF ITS STDERR" once the root process is gone.
  virtual std::optional<std::string> gone() = 0;
  virtual StopReport stop() = 0;
};

class ArmStarter {
 public:
  virtual ~ArmStarter() = default;
  // Starts the arm with its state folder and a port asked from the system, and waits until it
  // is ready; when another program was quicker to take the port, once more with another one. An arm
  // whose first line on stdout is its base URL gets port 0 and takes one itself. A path that is
  // asked for readiness may reach the upstream: drop what that has received. Errors name the arm
  // and hold the last lines of its output: crashed (ended before it was ready), timed_out (hung),
  // missing, io. kind direct: no process; base_url is the upstream and every reading is empty.
  virtual Result<std::unique_ptr<StartedArm>> start(
      const Manifest& manifest, const std::vector<std::string>& removed_arguments,
      const std::string& upstream) = 0;
};

// Real processes. Their outputs are kept in `logs` (NAME-rN.out and .err, N counts the arm's starts
// from 1); `bin`, where tare-guard stands too, and the cache folder fill the placeholders. An arm's
// environment is PATH, HOME (its state folder) and what its manifest says, nothing else.
struct StarterOptions {
  std::chrono::milliseconds stop_grace{10'000};  // between SIGTERM and SIGKILL
  bool use_cgroups = true;                       // false: grade B, as where there are none
  // Where each arm has a state folder, NAME, that lives on from start to start and is the caller's
  // to remove; empty: a new one each start.
  std::filesystem::path kept_state = {};
  // Where there is one and it is other than 0, a wait for readiness ends with an error.
  const std::atomic<int>* interrupt = nullptr;
};
std::unique_ptr<ArmStarter> make_arm_starter(Clock& clock, const std::filesystem::path& bin,
                                             const std::filesystem::path& logs,
                                             StarterOptions options = {});

}  // namespace tare::harness
