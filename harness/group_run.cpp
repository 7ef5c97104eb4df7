#include "harness/group_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/hash.h"

namespace tare::harness {
namespace {

constexpr std::int64_t ns_per_ms = 1'000'000;
constexpr std::size_t longest_quoted_reply = 200;

std::string shortened(std::string_view reply) {
  std::string text(reply.substr(0, longest_quoted_reply));
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  return text;
}

// Why the start cannot go on after this exchange; nothing when it can.
std::optional<Ending> ending_after(const Exchange& exchange, const Plan& plan,
                                   const GroupTarget& target, const RunnerParts& parts) {
  if (exchange.status == 200 && !exchange.error) return std::nullopt;
  if (parts.interrupt != 0) return Ending{Outcome::interrupted, "interrupted during a request"};
  const std::string what = exchange.error ? *exchange.error
                                          : fmt::format("HTTP {}: {}", exchange.status.value_or(0),
                                                        shortened(exchange.reply));
  if (exchange.status == 429) return Ending{Outcome::rate_limited, what};
  if (exchange.timed_out) {
    return Ending{Outcome::hung,
                  fmt::format("no whole response within {} s", plan.request_time_limit_s)};
  }
  if (exchange.error) {
    if (auto gone = gone_soon(target.arm, parts.clock)) return Ending{Outcome::crashed, *gone};
  }
  if (plan.any_failure_makes_incomplete) return Ending{Outcome::failed, what};
  return std::nullopt;
}

// Sends requests on behalf of one group and keeps what came of them.
class Sender {
 public:
  Sender(const Plan& plan, const BodyStore& bodies, const GroupTarget& target,
         const RunnerParts& parts, GroupRun& run)
      : plan_(plan), bodies_(bodies), target_(target), parts_(parts), run_(run) {}

  // Sends the next request of that phase; `first_index` is what the phase begins with in mode
  // unique. Whether the start may go on.
  bool send(Phase phase, int sequence, int first_index) {
    if (parts_.interrupt != 0) {
      run_.ending = Ending{Outcome::interrupted, "interrupted between requests"};
      return false;
    }
    const PreparedBody& body = bodies_.of(target_.group, first_index + sequence);
    run_.sent.push_back(
        {&body, phase, sequence,
         target_.client.post(target_.url, body.body.text, plan_.request_time_limit_s)});
    run_.ending = ending_after(run_.sent.back().exchange, plan_, target_, parts_);
    return !run_.ending;
  }

  bool send_all(Phase phase, int count, int first_index) {
    for (int sequence = 0; sequence < count; ++sequence) {
      if (!send(phase, sequence, first_index)) return false;
    }
    return true;
  }

  // What is sent between the two stands in the window.
  void open(Window& window) const {
    window.upstream_cpu_us = -parts_.upstream.cpu_us();
    window.begin = target_.arm.read();
    window.harness_cpu_us = -parts_.thread_cpu_us();
    window.begin_ns = parts_.clock.monotonic_ns();
  }
  void close(Window& window) const {
    window.end_ns = parts_.clock.monotonic_ns();
    window.harness_cpu_us += parts_.thread_cpu_us();
    window.end = target_.arm.read();
    window.upstream_cpu_us += parts_.upstream.cpu_us();
  }

 private:
  const Plan& plan_;
  const BodyStore& bodies_;
  const GroupTarget& target_;
  const RunnerParts& parts_;
  GroupRun& run_;
};

}  // namespace

int distinct_bodies(const Plan& plan) {
  if (plan.protocol == Protocol::published) return plan.warmups + plan.requests;
  const Slicing& slicing = plan.slicing;
  return plan.warmups + std::max(slicing.groups * slicing.most_requests, slicing.isolated_requests);
}

std::optional<std::string> gone_soon(StartedArm& arm, Clock& clock) {
  for (int i = 0; i < 100; ++i) {
    if (auto gone = arm.gone()) return gone;
    clock.sleep_until_ns(clock.monotonic_ns() + 10 * ns_per_ms);
  }
  return arm.gone();
}

GroupRun run_group(const Plan& plan, int requests, const BodyStore& bodies,
                   const GroupTarget& target, const RunnerParts& parts) {
  GroupRun run;
  run.sent.reserve(static_cast<std::size_t>(plan.warmups + requests));
  Sender sender(plan, bodies, target, parts, run);
  Window window;
  window.private_begin_bytes = target.arm.private_bytes();
  if (!sender.send_all(Phase::warmup, plan.warmups, 0)) return run;
  if (target.reset_peak) target.arm.reset_peak();

  sender.open(window);
  const int first_index = target.group.mode == Mode::each ? 0 : plan.warmups;
  if (!sender.send_all(Phase::measured, bodies.requests(target.group, requests), first_index)) {
    return run;
  }
  sender.close(window);

  window.private_end_bytes = target.arm.private_bytes();
  run.window = window;
  return run;
}

GroupRun warm_up(const Plan& plan, const BodyStore& bodies, const GroupTarget& target,
                 const RunnerParts& parts) {
  GroupRun run;
  Sender sender(plan, bodies, target, parts, run);
  if (sender.send_all(Phase::warmup, plan.warmups, 0) && target.reset_peak) {
    target.arm.reset_peak();
  }
  return run;
}

GroupRun run_slice(const Plan& plan, int slice, const BodyStore& bodies, const GroupTarget& target,
                   const RunnerParts& parts) {
  const Slicing& slicing = plan.slicing;
  GroupRun run;
  run.slice = slice;
  run.sent.reserve(static_cast<std::size_t>(slicing.most_requests));
  Sender sender(plan, bodies, target, parts, run);
  const int warmups = target.group.mode == Mode::each ? 0 : plan.warmups;
  const int first_index = warmups + slice * slicing.most_requests;
  Window window;
  sender.open(window);
  const std::int64_t until_ns = window.begin_ns + slicing.milliseconds * ns_per_ms;
  for (int sequence = 0; sequence < slicing.most_requests; ++sequence) {
    if (sequence >= slicing.least_requests && parts.clock.monotonic_ns() >= until_ns) break;
    if (!sender.send(Phase::measured, sequence, first_index)) return run;
  }
  sender.close(window);
  run.window = window;
  return run;
}

}  // namespace tare::harness
