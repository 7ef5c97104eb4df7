#include "harness/group_run.h"

#include <fmt/format.h>

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

}  // namespace

std::optional<std::string> gone_soon(StartedArm& arm, Clock& clock) {
  for (int i = 0; i < 100; ++i) {
    if (auto gone = arm.gone()) return gone;
    clock.sleep_until_ns(clock.monotonic_ns() + 10 * ns_per_ms);
  }
  return arm.gone();
}

GroupRun run_group(const Plan& plan, const BodyStore& bodies, const GroupTarget& target,
                   const RunnerParts& parts) {
  GroupRun run;
  run.sent.reserve(static_cast<std::size_t>(plan.warmups + plan.requests));
  // Whether the start may go on.
  const auto send = [&](Phase phase, int count) {
    for (int sequence = 0; sequence < count; ++sequence) {
      if (parts.interrupt != 0) {
        run.ending = Ending{Outcome::interrupted, "interrupted between requests"};
        return false;
      }
      const PreparedBody& body =
          bodies.of(target.group, phase == Phase::warmup || target.group.mode == Mode::each
                                      ? sequence
                                      : plan.warmups + sequence);
      run.sent.push_back(
          {&body, phase, sequence,
           target.client.post(target.url, body.body.text, plan.request_time_limit_s)});
      run.ending = ending_after(run.sent.back().exchange, plan, target, parts);
      if (run.ending) return false;
    }
    return true;
  };

  GroupRun::Window window;
  window.private_begin_bytes = target.arm.private_bytes();
  if (!send(Phase::warmup, plan.warmups)) return run;
  if (target.reset_peak) target.arm.reset_peak();

  window.begin = target.arm.read();
  window.upstream_cpu_us = -parts.upstream.cpu_us();
  window.harness_cpu_us = -parts.thread_cpu_us();
  window.begin_ns = parts.clock.monotonic_ns();
  if (!send(Phase::measured, bodies.requests(target.group, plan.requests))) return run;
  window.end_ns = parts.clock.monotonic_ns();
  window.harness_cpu_us += parts.thread_cpu_us();
  window.end = target.arm.read();
  window.upstream_cpu_us += parts.upstream.cpu_us();

  window.private_end_bytes = target.arm.private_bytes();
  run.window = window;
  return run;
}

}  // namespace tare::harness
