// One request at a time: what a proxy adds to a whole answer, and to the first byte of a stream.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/statistics.h"
#include "tests/load/bodies.h"
#include "tests/load/crowd.h"
#include "tests/load/http.h"
#include "tests/load/lab.h"

namespace tare::load {

namespace {

constexpr std::int64_t patience_ns = 60'000'000'000;

// One client of an arm, and how long its answers took.
struct Lane {
  Lane(Compared& compared) : name(compared.name), crowd(compared.arm->base_url(), 1) {}

  std::string name;
  Crowd crowd;
  std::vector<double> whole_us;
  std::vector<double> first_us;  // to the first byte of the body
};

using Lanes = std::vector<std::unique_ptr<Lane>>;
using MakeRequest = std::function<std::string(int)>;

// `count` requests, one after the other.
void ask(Lane& lane, int count, int first_index, const MakeRequest& make) {
  int sent = 0;
  bool first = true;
  std::string request;
  const Crowd::Events events = {
      .next = [&](std::size_t) -> std::optional<std::string_view> {
        if (sent == count) return std::nullopt;
        request = make(first_index + sent++);
        first = true;
        return request;
      },
      .on_body =
          [&](std::size_t client, std::string_view) {
            if (!std::exchange(first, false)) return;
            lane.first_us.push_back(static_cast<double>(now_ns() - lane.crowd.begun_ns(client)) /
                                    1e3);
          },
      .on_answer =
          [&](std::size_t, std::int64_t took_ns) {
            lane.whole_us.push_back(static_cast<double>(took_ns) / 1e3);
          }};
  lane.crowd.run(events, now_ns() + patience_ns);
}

// Slices of a few requests to each arm in turn, each round beginning with another arm, so that what
// disturbs the machine disturbs all.
Lanes in_turn(std::vector<Compared>& arms, int rounds, int a_slice, const MakeRequest& make) {
  Lanes lanes;
  for (Compared& compared : arms) {
    lanes.push_back(std::make_unique<Lane>(compared));
    ask(*lanes.back(), a_slice, 0, make);
    lanes.back()->whole_us.clear();
    lanes.back()->first_us.clear();
  }
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      ask(*lanes[(i + static_cast<std::size_t>(round)) % lanes.size()], a_slice,
          (round + 1) * a_slice, make);
    }
  }
  return lanes;
}

std::uint64_t failures(const Lanes& lanes) {
  std::uint64_t failed = 0;
  for (const auto& lane : lanes) failed += lane->crowd.failed();
  return failed;
}

}  // namespace

Result<Findings> added_latency(Lab& lab) {
  const OneCpu pinned;
  auto arms = start_all(lab, {"direct", "nginx", "haproxy", "forward-only"});
  if (!arms) return fail(arms.error());
  const std::string request = post("/v1/responses", small_body(0));
  const Lanes lanes =
      in_turn(*arms, lab.pick(200, 5), lab.pick(50, 10), [&](int) { return request; });
  Findings findings;
  std::map<std::string, double> median;
  for (const auto& lane : lanes) {
    median[lane->name] = analysis::median(lane->whole_us).value_or(0);
    findings.raw["whole_us"][lane->name] = lane->whole_us;
  }
  const auto added = [&](const std::string& name) { return median[name] - median["direct"]; };
  findings.note("median of direct", fmt::format("{:.1f} us", median["direct"]));
  const double own = added("forward-only");
  for (const auto* other : {"nginx", "haproxy"}) {
    if (!median.contains(other)) {
      findings.note(fmt::format("added median against {}'s", other), "not installed");
      continue;
    }
    findings.judge_time(
        fmt::format("added median against {}'s", other), fmt::format("<= {:.1f} us", added(other)),
        fmt::format("{:.1f} us ({:.2f}x)", own, own / added(other)), own <= added(other));
  }
  findings.judge("failed requests", "0", fmt::format("{}", failures(lanes)), failures(lanes) == 0);
  return findings;
}

Result<Findings> first_byte(Lab& lab) {
  const OneCpu pinned;
  auto arms = start_all(lab, {"direct", "forward-only", "rewriting"});
  if (!arms) return fail(arms.error());
  const std::string target = stream_target("/v1/responses", 20, 0);
  const Lanes lanes = in_turn(*arms, lab.pick(60, 3), lab.pick(20, 5),
                              [&](int index) { return post(target, small_body(index)); });
  Findings findings;
  std::map<std::string, double> p95;
  for (const auto& lane : lanes) {
    p95[lane->name] = analysis::quantile(lane->first_us, 0.95).value_or(0);
    findings.raw["first_us"][lane->name] = lane->first_us;
    findings.note(fmt::format("first byte through {}", lane->name),
                  fmt::format("median {:.0f} us, p95 {:.0f} us",
                              analysis::median(lane->first_us).value_or(0), p95[lane->name]));
  }
  findings.judge_time("p95 of the first byte, rewriting, texts never seen before",
                      fmt::format("<= control's + 1 ms = {:.0f} us", p95["forward-only"] + 1000),
                      fmt::format("{:.0f} us", p95["rewriting"]),
                      p95["rewriting"] <= p95["forward-only"] + 1000);
  findings.judge("failed requests", "0", fmt::format("{}", failures(lanes)), failures(lanes) == 0);
  return findings;
}

}  // namespace tare::load
