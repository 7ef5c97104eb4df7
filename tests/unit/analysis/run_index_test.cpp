// Which starts of a run count.
#include <catch2/catch.hpp>

#include <optional>
#include <string>
#include <vector>

#include "analysis/run_index.h"

using namespace tare::analysis;

namespace {

// Three rounds of one start each, of which the second was cut off.
RawRun cut_in_round_2(const std::string& protocol) {
  RawRun run;
  run.info.complete = true;
  run.info.plan.protocol = protocol;
  for (const int round : {1, 2, 3}) {
    StartRow start;
    start.start = 10 + round;
    start.round = round;
    start.outcome = "ok";
    run.starts.push_back(start);
    if (round == 2) continue;
    RoundRow row;
    row.round = round;
    run.rounds.push_back(row);
  }
  return run;
}

std::vector<bool> counted(const RawRun& run) {
  const RunIndex index(run);
  std::vector<bool> counts;
  for (const auto& start : run.starts) counts.push_back(index.counted(start));
  return counts;
}

void resume(RawRun& run) {
  EventRow event;
  event.kind = "resumed";
  run.events.push_back(event);
}

}  // namespace

TEST_CASE("a round that was cut off and carried out anew counts once in every protocol") {
  for (const char* protocol : {"published", "sliced"}) {
    CAPTURE(protocol);
    RawRun run = cut_in_round_2(protocol);
    resume(run);
    CHECK(counted(run) == std::vector{true, false, true});
  }
}

TEST_CASE(
    "of a run that ended in the midst of a round the whole starts count, but in a sliced plan") {
  for (const bool resumed : {false, true}) {
    CAPTURE(resumed);
    RawRun run = cut_in_round_2("published");
    run.rounds.pop_back();
    run.info.complete = false;
    if (resumed) resume(run);
    CHECK(counted(run) == std::vector{true, !resumed, true});
    run.info.plan.protocol = "sliced";
    CHECK(counted(run) == std::vector{true, false, false});
  }
}
