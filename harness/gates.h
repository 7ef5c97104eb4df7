// Whether a round may count, decided by what went on beside the arms and by nothing else: an arm's
// figures are never a reason. Limits: docs/raw-format.md, "discarded".
// Pure, but for RoundWatch, which reads the machine.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "harness/machine.h"
#include "harness/records.h"

namespace tare::harness {

struct Discard {
  DiscardCause cause{};
  std::string message;  // "steal 7.3 % of the CPU time (limit 5 %)"
};

// The first limit that was gone over. `usual_canary_ns`: the loop's usual time on this machine.
std::optional<Discard> gate(const Conditions& conditions, std::int64_t usual_canary_ns,
                            std::int64_t duration_ns);

// Whether the wall clock was moved, whatever else was gone over.
std::optional<Discard> clock_step(const Conditions& conditions, std::int64_t duration_ns);

// Reads a machine around rounds. `self`: this process; what is below it is not foreign.
class RoundWatch {
 public:
  RoundWatch(Machine& machine, pid_t self);

  void begin();
  // What went on since begin().
  Conditions end();
  std::int64_t usual_canary_ns() const { return usual_canary_ns_; }

 private:
  Machine& machine_;
  pid_t self_;
  std::int64_t usual_canary_ns_;  // the fastest of a short series before the first round
  MachineReading begin_;
  std::int64_t canary_begin_ns_ = 0;
};

}  // namespace tare::harness
