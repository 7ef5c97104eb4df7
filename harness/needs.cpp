#include "harness/needs.h"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "common/files.h"
#include "harness/schedule.h"

namespace tare::harness {
namespace {

// Seen in runs: a request's rows, compressed; a distinct body, compressed, in a file of its own; a
// request body in memory; what a request costs the harness beside its latency.
constexpr double rows_bytes = 70;
constexpr double body_bytes = 6000;
constexpr double body_memory_bytes = 25'000;
constexpr double harness_memory_mb = 60;
constexpr double harness_ms = 0.15;
constexpr double stop_s = 0.1;
constexpr double idle_s = 1.2;  // after the last group of an isolated start

struct ArmLoad {
  double requests = 0;
  double seconds = 0;
};

double request_s(const Manifest& arm) {
  return (arm.cost.request_ms + harness_ms) / 1000;
}

// One start of an arm in a round of that design.
ArmLoad measured_in(Design design, const Plan& plan, const Manifest& arm) {
  const auto groups = static_cast<double>(plan.groups.size());
  const Slicing& slicing = plan.slicing;
  if (design != Design::sliced) {
    const int requests = design == Design::published ? plan.requests : slicing.isolated_requests;
    return {groups * requests,
            groups * requests * request_s(arm) + (design == Design::isolated ? idle_s : 0)};
  }
  const double in_time = std::ceil(slicing.milliseconds / std::max(arm.cost.request_ms, 0.01));
  const double requests =
      std::clamp<double>(in_time, slicing.least_requests, std::max(slicing.most_requests, 1));
  const double slices = groups * slicing.groups;
  return {slices * requests, slices * requests * request_s(arm)};
}

double distinct_bodies(const Plan& plan) {
  double distinct = 0;
  const Slicing& slicing = plan.slicing;
  const int each = plan.protocol == Protocol::published
                       ? plan.warmups + plan.requests
                       : plan.warmups + std::max(slicing.groups * slicing.most_requests,
                                                 slicing.isolated_requests);
  for (const Group& group : plan.groups) distinct += group.mode == Mode::unique ? each : 1;
  return distinct;
}

}  // namespace

Needs needs_of(const Plan& plan, const std::vector<Manifest>& arms) {
  Needs needs;
  std::map<std::string, const Manifest*> by_name;
  int compressors = 0;
  for (const Manifest& arm : arms) {
    by_name[arm.name] = &arm;
    needs.arms_disk_mb += arm.cost.disk_mb;
    compressors += arm.kind == ArmKind::compressor ? 1 : 0;
  }
  const auto twin = twin_name(plan);
  const auto& twin_of = plan.slicing.twin_of;
  if (twin && twin_of) by_name[*twin] = by_name[*twin_of];
  double seconds = 0;
  double measured = 0;
  double arms_mb = 0;
  for (const PlannedRound& round : rounds_of(plan)) {
    double together_mb = 0;
    for (const std::string& name : round.order) {
      const Manifest& arm = *by_name.at(name);
      const ArmLoad load = measured_in(round.design, plan, arm);
      const auto warmups = static_cast<double>(plan.groups.size()) * plan.warmups;
      ++needs.starts;
      needs.warmups += static_cast<std::int64_t>(warmups);
      measured += load.requests;
      seconds += arm.cost.start_s + stop_s + warmups * request_s(arm) + load.seconds;
      together_mb = round.design == Design::sliced ? together_mb + arm.cost.memory_mb
                                                   : std::max(together_mb, arm.cost.memory_mb);
    }
    arms_mb = std::max(arms_mb, together_mb);
  }
  const double bodies = distinct_bodies(plan);
  needs.measured = static_cast<std::int64_t>(measured);
  needs.minutes = seconds / 60;
  needs.run_disk_mb = ((measured + static_cast<double>(needs.warmups)) * rows_bytes +
                       bodies * (1 + compressors) * body_bytes) /
                      1e6;
  needs.memory_mb = harness_memory_mb + bodies * body_memory_bytes / 1e6 + arms_mb;
  needs.assumptions = {
      "start, request time, memory and disk of each arm: the cost in its manifest",
      fmt::format(
          "{} bytes of rows a request and {} a distinct body on disk, {} MB for the harness",
          rows_bytes, body_bytes, harness_memory_mb)};
  if (std::ranges::any_of(plan.groups, [](const Group& g) { return g.mode == Mode::each; })) {
    needs.assumptions.push_back(
        "groups that send each of their bodies are counted as one body: they take more");
  }
  if (plan.protocol == Protocol::sliced) {
    needs.assumptions.push_back(
        "no round is discarded: each that is takes its time again, at most twice");
  }
  return needs;
}

Room room_for(const std::filesystem::path& run_folder) {
  Room room;
  std::error_code e;
  auto folder = std::filesystem::absolute(run_folder, e);
  while (!std::filesystem::exists(folder, e) && folder.has_relative_path()) {
    folder = folder.parent_path();
  }
  struct statvfs facts{};
  if (::statvfs(folder.c_str(), &facts) == 0) {
    room.disk_mb = static_cast<double>(facts.f_bavail) * static_cast<double>(facts.f_frsize) / 1e6;
  }
  const auto memory = read_file("/proc/meminfo");
  constexpr std::string_view key = "MemAvailable:";
  if (const auto at = memory ? memory->find(key) : std::string::npos; at != std::string::npos) {
    const auto begin = std::min(memory->find_first_not_of(' ', at + key.size()), memory->size());
    double kib = 0;
    std::from_chars(memory->data() + begin, memory->data() + memory->size(), kib);
    room.memory_mb = kib * 1024 / 1e6;
  }
  return room;
}

Result<void> check_room(const Needs& needs, const Room& room) {
  std::vector<std::string> lacking;
  if (needs.run_disk_mb > room.disk_mb) {
    lacking.push_back(fmt::format("the run needs about {:.0f} MB of disk, {:.0f} MB are free",
                                  needs.run_disk_mb, room.disk_mb));
  }
  if (needs.memory_mb > room.memory_mb) {
    lacking.push_back(
        fmt::format("its arms and the harness need about {:.0f} MB of memory, {:.0f} MB are free",
                    needs.memory_mb, room.memory_mb));
  }
  if (lacking.empty()) return {};
  return fail(
      Error::missing(fmt::format("this machine cannot hold the plan: {}", fmt::join(lacking, "; ")),
                     "fewer rounds (--rounds), fewer arms (--arms), another disk (--out)"));
}

}  // namespace tare::harness
