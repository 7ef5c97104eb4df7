// What the runner writes down: rows, totals, and whether the run is complete. It hands every row to
// the recorder and keeps the counts. Belongs to one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/error.h"
#include "harness/group_run.h"
#include "harness/retrieval.h"
#include "harness/runner.h"

namespace tare::harness {

class RunLog {
 public:
  RunLog(const Plan& plan, const std::vector<ArmToRun>& arms, const BodyStore& bodies,
         const RunnerParts& parts, const RunPoint& from);

  // Errors: io.
  Result<void> record_workload(const BodyStore& bodies);

  int next_start() { return ++starts_; }

  // What was sent and received: rows of requests and receipts. Gives the row of the window, if
  // there is one: the caller fills it up and adds it. Sets run.ending where the plan wants a start
  // to end with its first failure.
  // `retrieval`: asks the arm for what its markers stand for; null: it has none.
  std::optional<GroupRow> record(const StartRow& start, const Manifest& arm, const Group& group,
                                 GroupRun& run, const std::vector<Received>& received,
                                 Retrieval* retrieval);
  void add(const GroupRow& row) { parts_.recorder.add(row); }
  void add_samples(int start, const std::vector<Reading>& readings);
  // What came outside the groups: probes for readiness, late attempts. `start`: absent when several
  // arms are up.
  void record_receipts(std::optional<int> start);

  // Writes a start's row; it counts once its round is whole.
  void end_start(const StartRow& row);
  // Writes a round's row: its starts count unless it is discarded.
  void end_round(const RoundRow& row);
  // A planned round that was discarded each time: the run is incomplete.
  void missed(std::string reason) { incomplete_.push_back(std::move(reason)); }

  void event(std::string kind, std::optional<std::string> arm, std::optional<int> round,
             std::string message);
  Result<void> commit() { return parts_.recorder.commit(); }

  std::string interrupted_by() const;
  RunResult result() const;

 private:
  void record_retrieved(Retrieval& retrieval, const std::vector<Received>& received,
                        const std::vector<UpstreamRow>& rows);
  void keep(const std::vector<Received>& received, std::vector<UpstreamRow> rows,
            std::optional<int> start);
  void count(const StartRow& row);
  bool was_ready(const std::string& arm) const;

  const Plan& plan_;
  const RunnerParts& parts_;
  int starts_;
  std::int64_t requests_;
  Totals totals_;
  std::vector<StartRow> open_;   // ended, of the round under way
  int open_failures_ = 0;        // measured requests that failed in it
  std::int64_t failures_ = 0;    // in rounds that count
  std::set<std::string> ready_;  // arms that were ready at least once
  std::map<std::string, std::pair<int, std::string>> not_ready_;  // arm -> first round, why not
  std::vector<std::string> incomplete_;
};

// The rows of a stop.
void fill(StartRow& row, const StopReport& report, RunLog& log);

// Errors of a start name their arm; a row does too.
std::string without_name(const std::string& arm, std::string reason);

}  // namespace tare::harness
