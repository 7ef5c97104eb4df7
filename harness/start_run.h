// One start of an arm with the runner's bookkeeping: what its row says, from exec to the empty
// cgroup. Used by the rounds of every design; belongs to one thread.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "harness/group_run.h"
#include "harness/retrieval.h"
#include "harness/run_log.h"
#include "harness/runner.h"
#include "harness/sampler.h"

namespace tare::harness {

// Where a start stands in its run.
struct StartPlace {
  int round = 0;
  int position = 0;
  Design design{};
  int block = 0;
};

class StartRun {
 public:
  StartRun(const Plan& plan, const ArmToRun& arm, const StartPlace& place, const RunnerParts& parts,
           RunLog& log);

  // Starts the arm and waits until it is ready. Whether it is: if not, its row is written.
  bool start();

  bool up() const { return started_ != nullptr; }
  const StartRow& row() const { return row_; }
  // Where the group's requests go; nothing when the arm does not have its route.
  std::optional<GroupTarget> target(const Group& group);
  // Says that it does not.
  void leave_out(const Group& group);

  // Rows of what was sent to it; whether the start goes on. `received`: by the upstream.
  bool record(const Group& group, GroupRun& run, const std::vector<Received>& received);

  // A reading of now closes the window that was recorded last: what the arm used since then.
  void close_last(const Reading& now);
  // Its row, to which the caller may add; nothing when no window is open.
  GroupRow* last() { return last_ ? &*last_ : nullptr; }

  StartedArm& arm() { return *started_; }

  // The harness's own fault: the upstream is gone, the folder cannot be written.
  void fail_with(std::string reason) { end_with(Outcome::failed, std::move(reason)); }

  // Stops the arm and writes its row; nothing when it is not up.
  void stop();

 private:
  void end_with(Outcome outcome, std::string reason);
  void flush_last();

  const Plan& plan_;
  const ArmToRun& arm_;
  const RunnerParts& parts_;
  RunLog& log_;
  StartRow row_;
  std::unique_ptr<StartedArm> started_;
  std::unique_ptr<Client> client_;
  std::optional<Retrieval> retrieval_;
  Sampler sampler_;
  std::optional<GroupRow> last_;  // its cpu_after_us is not yet known
  std::optional<std::int64_t> last_cpu_us_;
};

}  // namespace tare::harness
