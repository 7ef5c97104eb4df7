// Many streams of events at once: how late the events are, and what a stream costs.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "analysis/statistics.h"
#include "tests/load/crowd.h"
#include "tests/load/http.h"
#include "tests/load/lab.h"

namespace tare::load {

namespace {

constexpr int every_ms = 200;
constexpr std::int64_t patience_ns = 60'000'000'000;

struct Outcome {
  std::vector<double> delay_ms;
  std::uint64_t out_of_order = 0;
  std::uint64_t failed = 0;
  std::string fault;
  double anon_kib_a_stream = 0;
  double cpu_us_an_event = 0;
};

// One stream's events as they come.
struct EventReader {
  std::string line;
  std::int64_t next = 0;

  void take(std::string_view bytes, Outcome& outcome) {
    line.append(bytes);
    std::size_t begin = 0;
    for (auto end = line.find("\n\n"); end != std::string::npos; end = line.find("\n\n", begin)) {
      read(std::string_view(line).substr(begin, end - begin), outcome);
      begin = end + 2;
    }
    line.erase(0, begin);
  }

  void read(std::string_view event, Outcome& outcome) {
    std::int64_t number = -1;
    std::int64_t sent_ns = 0;
    if (event.starts_with("data: ")) {
      const auto* const end = event.data() + event.size();
      const auto parsed = std::from_chars(event.data() + 6, end, number);
      if (parsed.ptr < end) std::from_chars(parsed.ptr + 1, end, sent_ns);
    }
    if (number != next++) ++outcome.out_of_order;
    outcome.delay_ms.push_back(static_cast<double>(now_ns() - sent_ns) / 1e6);
  }
};

Outcome stream_through(harness::StartedArm& arm, std::size_t clients, int events) {
  Outcome outcome;
  outcome.delay_ms.reserve(clients * static_cast<std::size_t>(events));
  std::vector<EventReader> readers(clients);
  std::vector<bool> asked(clients);
  const std::string request = post(stream_target("/v1/responses", events, every_ms), "{}");
  const auto idle = arm.read().anon_bytes.value_or(0);
  const auto cpu = cpu_us(arm);
  std::int64_t middle = idle;
  std::size_t received = 0;
  Crowd crowd(arm.base_url(), clients);
  crowd.run({.next = [&](std::size_t client) -> std::optional<std::string_view> {
               if (asked[client]) return std::nullopt;
               asked[client] = true;
               return request;
             },
             // So that the events of all come evenly too.
             .spread_ns = std::int64_t{5} * every_ms * 1'000'000,
             .on_body =
                 [&](std::size_t client, std::string_view bytes) {
                   readers[client].take(bytes, outcome);
                   // Once, with all streams open.
                   const std::size_t half = clients * static_cast<std::size_t>(events) / 2;
                   if (received < half && outcome.delay_ms.size() >= half) {
                     middle = arm.read().anon_bytes.value_or(0);
                   }
                   received = outcome.delay_ms.size();
                 }},
            now_ns() + std::int64_t{every_ms} * 1'000'000 * events + patience_ns);
  outcome.failed = crowd.failed();
  outcome.fault = crowd.fault();
  outcome.anon_kib_a_stream =
      static_cast<double>(middle - idle) / 1024 / static_cast<double>(clients);
  outcome.cpu_us_an_event = static_cast<double>(cpu_us(arm) - cpu) /
                            static_cast<double>(std::max<std::size_t>(received, 1));
  return outcome;
}

}  // namespace

Result<Findings> streams(Lab& lab) {
  const std::size_t clients = lab.pick<std::size_t>(2000, 100);
  const int events = lab.pick(60, 8);
  Findings findings;
  std::map<std::string, double> p99;
  for (const std::string_view name : {"direct", "nginx", "haproxy", "forward-only", "rewriting"}) {
    auto arm = lab.start(name);
    if (!arm) return fail(arm.error());
    if (!*arm) {
      findings.note(fmt::format("{} streams through {}", clients, name), "not installed");
      continue;
    }
    const Outcome outcome = stream_through(***arm, clients, events);
    const std::string key(name);
    p99[key] = analysis::quantile(outcome.delay_ms, 0.99).value_or(0);
    findings.raw[key] = {{"delay_ms_p50", analysis::median(outcome.delay_ms).value_or(0)},
                         {"delay_ms_p99", p99[key]},
                         {"delay_ms_most", analysis::largest(outcome.delay_ms).value_or(0)},
                         {"events", outcome.delay_ms.size()},
                         {"kib_a_stream", outcome.anon_kib_a_stream},
                         {"cpu_us_an_event", outcome.cpu_us_an_event}};
    findings.note(fmt::format("{} streams through {}", clients, name),
                  fmt::format("delay p50 {:.2f} ms, p99 {:.2f} ms; {:.1f} KiB a stream, {:.1f} us "
                              "CPU an event",
                              analysis::median(outcome.delay_ms).value_or(0), p99[key],
                              outcome.anon_kib_a_stream, outcome.cpu_us_an_event));
    if (name != "forward-only" && name != "rewriting") continue;
    findings.judge_time(fmt::format("p99 of the delay, {}", name),
                        fmt::format("<= direct's + 50 ms = {:.2f} ms", p99["direct"] + 50),
                        fmt::format("{:.2f} ms", p99[key]), p99[key] <= p99["direct"] + 50);
    findings.judge(fmt::format("anonymous memory a stream, {}", name), "<= 40 KiB",
                   fmt::format("{:.1f} KiB", outcome.anon_kib_a_stream),
                   outcome.anon_kib_a_stream <= 40);
    const auto expected = clients * static_cast<std::size_t>(events);
    findings.judge(
        fmt::format("events received in order, {}", name), fmt::format("{}", expected),
        fmt::format("{}, {} out of order, {} streams failed{}", outcome.delay_ms.size(),
                    outcome.out_of_order, outcome.failed,
                    outcome.fault.empty() ? "" : ": " + outcome.fault),
        outcome.delay_ms.size() == expected && outcome.out_of_order == 0 && outcome.failed == 0);
  }
  return findings;
}

Result<Findings> idle_connections(Lab& lab) {
  auto arm = lab.start_own("forward-only");
  if (!arm) return fail(arm.error());
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  // The proxy needs two descriptors a connection while all ask at once, and so does this program,
  // which is client and upstream; each needs some for itself.
  const std::size_t room = (limit.rlim_cur > 500 ? limit.rlim_cur - 300 : 200) / 2;
  const std::size_t wanted = lab.pick<std::size_t>(10'000, 500);
  const std::size_t clients = std::min(wanted, room);
  const std::string request = post("/v1/responses", "{}");
  std::vector<int> asked(clients);
  int turns = 1;
  const Crowd::Events events = {.next = [&](std::size_t client) -> std::optional<std::string_view> {
    if (asked[client] >= turns) return std::nullopt;
    ++asked[client];
    return request;
  }};
  const auto before = (*arm)->read().anon_bytes;
  Crowd crowd((*arm)->base_url(), clients);
  crowd.run(events, now_ns() + patience_ns);
  // The kernel folds small changes of memory in only now and then.
  rest(lab.pick(3.0, 0.5));
  const auto held = (*arm)->read();
  rest(lab.pick(5.0, 0.5));
  const auto later_cpu = cpu_us(**arm);
  const std::size_t open = crowd.open();
  turns = 2;
  crowd.run(events, now_ns() + patience_ns);
  Findings findings;
  const double kib = (mib(held.anon_bytes) - mib(before)) * 1024 / static_cast<double>(clients);
  findings.raw = {{"clients", clients},
                  {"file_limit", limit.rlim_cur},
                  {"anon_mib", mib(held.anon_bytes)},
                  {"idle_cpu_us", later_cpu - held.cpu_us.value_or(0)}};
  findings.note("connections (by the limit on open files)",
                fmt::format("{} of {} wanted (limit {})", clients, wanted, limit.rlim_cur));
  findings.judge("held and answering again", fmt::format("{}", clients),
                 fmt::format("{} held, {} answers of {}{}{}", open, crowd.answered(), 2 * clients,
                             crowd.failed() == 0 ? "" : ", the first failure: ", crowd.fault()),
                 open == clients && crowd.answered() == 2 * clients && crowd.failed() == 0);
  findings.note("anonymous memory",
                fmt::format("{:.1f} MiB, {:.2f} KiB a connection", mib(held.anon_bytes), kib));
  findings.note("CPU while they are idle",
                fmt::format("{} us", later_cpu - held.cpu_us.value_or(0)));
  return findings;
}

}  // namespace tare::load
