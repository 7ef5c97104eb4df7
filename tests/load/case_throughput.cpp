// Many requests at a time: what a core can do, and what stays in memory.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/statistics.h"
#include "harness/sampler.h"
#include "tests/load/bodies.h"
#include "tests/load/crowd.h"
#include "tests/load/http.h"
#include "tests/load/lab.h"

namespace tare::load {

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;
constexpr std::int64_t patience_ns = 60 * second_ns;

// All clients ask without pause for so long.
void load(Crowd& crowd, double seconds,
          const std::function<std::string_view(std::size_t)>& request_of) {
  const auto end_ns = now_ns() + static_cast<std::int64_t>(seconds * 1e9);
  crowd.run({.next = [&](std::size_t client) -> std::optional<std::string_view> {
              if (now_ns() >= end_ns) return std::nullopt;
              return request_of(client);
            }},
            end_ns + patience_ns);
}

struct Share {
  std::unique_ptr<Crowd> crowd;
  double cpu_s = 0;
  double wall_s = 0;
  std::uint64_t answered = 0;
};

}  // namespace

Result<Findings> throughput(Lab& lab) {
  auto arms = start_all(lab, {"direct", "nginx", "haproxy", "forward-only"});
  if (!arms) return fail(arms.error());
  const std::size_t clients = 64;
  const std::string request = post("/v1/responses", small_body(0));
  const auto same = [&](std::size_t) -> std::string_view { return request; };
  std::map<std::string, Share> shares;
  for (Compared& compared : *arms) {
    shares[compared.name].crowd = std::make_unique<Crowd>(compared.arm->base_url(), clients);
    load(*shares[compared.name].crowd, lab.pick(0.5, 0.1), same);
  }
  for (int round = 0; round < lab.pick(6, 1); ++round) {
    for (Compared& compared : *arms) {
      Share& share = shares[compared.name];
      const auto before = share.crowd->answered();
      const auto cpu = cpu_us(*compared.arm);
      const auto begun = now_ns();
      load(*share.crowd, lab.pick(1.0, 0.2), same);
      share.wall_s += static_cast<double>(now_ns() - begun) / 1e9;
      share.cpu_s += static_cast<double>(cpu_us(*compared.arm) - cpu) / 1e6;
      share.answered += share.crowd->answered() - before;
    }
  }
  Findings findings;
  std::map<std::string, double> a_core;
  std::uint64_t failed = 0;
  for (Compared& compared : *arms) {
    const Share& share = shares[compared.name];
    failed += share.crowd->failed();
    const auto answered = static_cast<double>(share.answered);
    a_core[compared.name] = share.cpu_s > 0 ? answered / share.cpu_s : 0;
    const double anon = mib(compared.arm->read().anon_bytes);
    findings.raw[compared.name] = {{"answered", share.answered},
                                   {"cpu_s", share.cpu_s},
                                   {"wall_s", share.wall_s},
                                   {"anon_mib", anon}};
    if (compared.name == "direct") continue;
    findings.note(compared.name,
                  fmt::format("{:.0f} requests/s a core, {:.0f}/s of wall time, {:.2f} MiB",
                              a_core[compared.name], answered / share.wall_s, anon));
  }
  for (const auto* other : {"nginx", "haproxy"}) {
    if (!shares.contains(other)) continue;
    const std::string what = fmt::format("requests/s a core against {}'s", other);
    const double own = a_core["forward-only"];
    const std::string measured = fmt::format("{:.0f} ({:.2f}x)", own, own / a_core[other]);
    if (other == std::string_view("nginx")) {
      findings.judge_time(what, fmt::format(">= {:.0f}", a_core[other]), measured,
                          own >= a_core[other]);
    } else {
      findings.note(what, measured);
    }
  }
  const double anon = findings.raw["forward-only"]["anon_mib"];
  findings.judge("anonymous memory at 64 connections", "<= 8 MiB", fmt::format("{:.2f} MiB", anon),
                 anon <= 8);
  findings.judge("failed requests", "0", fmt::format("{}", failed), failed == 0);
  return findings;
}

Result<Findings> large_bodies(Lab& lab) {
  auto arm = lab.start_own("rewriting");
  if (!arm) return fail(arm.error());
  const std::size_t clients = lab.pick<std::size_t>(50, 10);
  const double seconds = lab.pick(60.0, 4.0);
  const double settle_s = lab.pick(10.0, 2.0);
  std::vector<std::string> requests;
  for (std::size_t i = 0; i < clients; ++i) {
    requests.push_back(post("/v1/responses", large_body(1'000'000, static_cast<int>(i))));
  }
  Crowd crowd((*arm)->base_url(), clients);
  harness::Sampler sampler;
  sampler.start([&] { return (*arm)->sample(); }, std::chrono::milliseconds(100));
  const auto begun = now_ns();
  const auto cpu = cpu_us(**arm);
  load(crowd, seconds, [&](std::size_t client) -> std::string_view { return requests[client]; });
  const double cpu_s = static_cast<double>(cpu_us(**arm) - cpu) / 1e6;
  std::vector<double> early, late;
  Findings findings;
  for (const harness::Reading& reading : sampler.stop()) {
    const double at_s = static_cast<double>(reading.time_ns - begun) / 1e9;
    const double anon = mib(reading.anon_bytes);
    findings.raw["anon_mib"].push_back({at_s, anon});
    if (at_s > seconds) continue;
    (at_s <= settle_s ? early : late).push_back(anon);
  }
  findings.raw["answered"] = crowd.answered();
  const double early_most = analysis::largest(early).value_or(0);
  const double late_most = analysis::largest(late).value_or(0);
  findings.note(fmt::format("{} clients, bodies of 1 MB, {:.0f} s", clients, seconds),
                fmt::format("{} answered, {:.1f} s CPU", crowd.answered(), cpu_s));
  findings.judge_time(
      fmt::format("most anonymous memory after the first {:.0f} s", settle_s),
      fmt::format("<= {:.1f} MiB, the most within them, + 5 %", early_most),
      fmt::format("{:.1f} MiB, median {:.1f} MiB", late_most, analysis::median(late).value_or(0)),
      late_most <= early_most * 1.05);
  // What the clients have in flight, what is made of it, and room for the work of one body.
  const double bound = 3.0 * static_cast<double>(clients) + 60;
  findings.judge("most anonymous memory", fmt::format("<= {:.0f} MiB (3 a client + 60)", bound),
                 fmt::format("{:.1f} MiB", std::max(early_most, late_most)),
                 std::max(early_most, late_most) <= bound);
  findings.judge(
      "failed requests", "0",
      fmt::format("{}{}", crowd.failed(), crowd.failed() > 0 ? ": " + crowd.fault() : ""),
      crowd.failed() == 0 && crowd.answered() > 0);
  return findings;
}

}  // namespace tare::load
