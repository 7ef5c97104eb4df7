// What every load case works with: the upstream, started arms with their readings, and the rows of
// the table that a case fills in.
#pragma once

#include <sched.h>

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "harness/arm_process.h"
#include "tests/load/upstream.h"

namespace tare::load {

// A demand and what was measured of it.
struct Row {
  enum class Verdict {
    met,
    not_met,
    noted,  // nothing is demanded: a figure to compare with, or one that cannot be judged here
  };
  std::string what;
  std::string demanded;
  std::string measured;
  Verdict verdict = Verdict::noted;
  // A time or a speed, which a quick run does not judge; counts and memory hold on any machine.
  bool timed = false;
};

struct Findings {
  std::vector<Row> rows;
  nlohmann::json raw;  // every number behind the rows

  void note(std::string what, std::string measured);
  void judge(std::string what, std::string demanded, std::string measured, bool met);
  void judge_time(std::string what, std::string demanded, std::string measured, bool met);
};

using Arm = std::unique_ptr<harness::StartedArm>;

class Lab {
 public:
  // Quick: each case in a second or two, to see that it works; its speeds mean nothing.
  explicit Lab(bool quick);
  ~Lab();

  bool quick() const { return quick_; }
  template <typename T>
  T pick(T full, T quick) const {
    return quick_ ? quick : full;
  }

  Upstream& upstream() { return upstream_; }
  // "direct", or a folder of tests/load/arms. Nothing when its program is not installed.
  Result<std::optional<Arm>> start(std::string_view name);
  // The same, and it must be there.
  Result<Arm> start_own(std::string_view name);
  // Where an arm that is not started by start() keeps its files.
  const std::string& folder() const { return folder_; }

 private:
  bool quick_;
  std::string folder_;
  Upstream upstream_;
  std::unique_ptr<harness::ArmStarter> starter_;
};

// While it lives this process, and what it starts, stays on one CPU. One request at a time uses no
// more, and whether its three processes happen to share a CPU would change the figures threefold.
class OneCpu {
 public:
  OneCpu();
  ~OneCpu();
  OneCpu(const OneCpu&) = delete;
  OneCpu& operator=(const OneCpu&) = delete;

 private:
  cpu_set_t before_;
};

// The arms that are compared, in order: direct and those that are installed.
struct Compared {
  std::string name;
  Arm arm;
};
Result<std::vector<Compared>> start_all(Lab& lab, const std::vector<std::string_view>& names);

std::int64_t now_ns();
std::int64_t cpu_us(harness::StartedArm& arm);
double mib(std::optional<std::int64_t> bytes);
// Sleeps, with the arms left alone.
void rest(double seconds);

struct Case {
  std::string_view name;
  std::string_view title;
  Result<Findings> (*run)(Lab&);
};

Result<Findings> added_latency(Lab& lab);
Result<Findings> throughput(Lab& lab);
Result<Findings> streams(Lab& lab);
Result<Findings> idle_connections(Lab& lab);
Result<Findings> hang_up(Lab& lab);
Result<Findings> large_bodies(Lab& lab);
Result<Findings> first_byte(Lab& lab);
Result<Findings> restarts(Lab& lab);

}  // namespace tare::load
