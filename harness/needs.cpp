#include "harness/needs.h"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "common/files.h"
#include "harness/body_store.h"
#include "harness/group_run.h"
#include "harness/schedule.h"

namespace tare::harness {
namespace {

// Seen in runs: a request's rows, compressed; what of a body is left when it is compressed, in a
// file of its own; what a request costs the harness beside its latency. Manifests give the time of
// bodies as the published ones are: of larger ones it grows with them.
constexpr double rows_bytes = 70;
constexpr double compressed_share = 0.25;
constexpr double usual_body_bytes = 50'000;
constexpr double harness_memory_mb = 60;
constexpr double harness_ms = 0.15;
constexpr double stop_s = 0.1;
constexpr double idle_s = 1.2;  // after the last group of an isolated start

// The distinct bodies of a workload.
struct Size {
  double bodies = 0;
  double bytes = 0;
};
using Sizes = std::map<Task, Size>;

Sizes sizes_of(const BodyStore& store) {
  Sizes sizes;
  for (const auto& [key, prepared] : store.all()) {
    Size& size = sizes[key.first];
    ++size.bodies;
    size.bytes += static_cast<double>(prepared.body.text.size());
  }
  return sizes;
}

struct ArmLoad {
  double measured = 0;
  double warmups = 0;
  double seconds = 0;
};

// Measured requests of a group in one start of an arm.
double measured_in(Design design, const Plan& plan, const BodyStore& bodies, const Group& group,
                   double request_ms) {
  const Slicing& slicing = plan.slicing;
  if (design == Design::published) return bodies.requests(group, plan.requests);
  if (design == Design::isolated) return bodies.requests(group, slicing.isolated_requests);
  const double in_time = std::ceil(slicing.milliseconds / std::max(request_ms, 0.01));
  return slicing.groups *
         std::clamp<double>(in_time, slicing.least_requests, std::max(slicing.most_requests, 1));
}

// One start of an arm in a round of that design: the groups of the routes that it has.
ArmLoad load_of(Design design, const Plan& plan, const BodyStore& bodies, const Sizes& sizes,
                const Manifest& arm) {
  ArmLoad load;
  load.seconds = arm.cost.start_s + stop_s + (design == Design::isolated ? idle_s : 0);
  for (const Group& group : plan.groups) {
    if (!path_of(arm, group.workload.route)) continue;
    const Size& size = sizes.at(group.task);
    const double growth = std::max(1.0, size.bytes / size.bodies / usual_body_bytes);
    const double request_ms = arm.cost.request_ms * growth;
    const double measured = measured_in(design, plan, bodies, group, request_ms);
    load.measured += measured;
    load.warmups += plan.warmups;
    load.seconds += (measured + plan.warmups) * (request_ms + harness_ms) / 1000;
  }
  return load;
}

// Distinct bodies on disk: those sent, and what each arm that may change them makes of them.
double body_bytes_on_disk(const Plan& plan, const Sizes& sizes, const std::vector<Manifest>& arms) {
  double bytes = 0;
  for (const auto& [task, size] : sizes) bytes += size.bytes;
  for (const Manifest& arm : arms) {
    if (arm.kind != ArmKind::compressor) continue;
    std::set<Task> tasks;
    for (const Group& group : plan.groups) {
      const bool fresh = path_of(arm, group.workload.route) && tasks.insert(group.task).second;
      if (fresh) bytes += sizes.at(group.task).bytes;
    }
  }
  return bytes * compressed_share;
}

std::vector<std::string> assumptions_of(const Plan& plan) {
  std::vector<std::string> assumptions{
      "start, request time, memory and disk of each arm: the cost in its manifest; above 50 kB the "
      "time grows with the body",
      fmt::format("{} bytes of rows a request and a quarter of each distinct body on disk, {} MB "
                  "for the harness",
                  rows_bytes, harness_memory_mb)};
  if (plan.protocol == Protocol::sliced) {
    assumptions.push_back(
        "no round is discarded: each that is takes its time again, at most twice");
  }
  return assumptions;
}

}  // namespace

Result<Needs> needs_of(const Plan& plan, const std::vector<Manifest>& arms) {
  const auto bodies = BodyStore::make(plan, distinct_bodies(plan));
  if (!bodies) return fail(bodies.error());
  const Sizes sizes = sizes_of(*bodies);
  Needs needs;
  std::map<std::string, const Manifest*> by_name;
  for (const Manifest& arm : arms) {
    by_name[arm.name] = &arm;
    needs.arms_disk_mb += arm.cost.disk_mb;
  }
  const auto twin = twin_name(plan);
  const auto& twin_of = plan.slicing.twin_of;
  if (twin && twin_of) by_name[*twin] = by_name[*twin_of];
  double seconds = 0;
  double measured = 0;
  double warmups = 0;
  double arms_mb = 0;
  for (const PlannedRound& round : rounds_of(plan)) {
    double together_mb = 0;
    for (const std::string& name : round.order) {
      const Manifest& arm = *by_name.at(name);
      const ArmLoad load = load_of(round.design, plan, *bodies, sizes, arm);
      ++needs.starts;
      measured += load.measured;
      warmups += load.warmups;
      seconds += load.seconds;
      together_mb = round.design == Design::sliced ? together_mb + arm.cost.memory_mb
                                                   : std::max(together_mb, arm.cost.memory_mb);
    }
    arms_mb = std::max(arms_mb, together_mb);
  }
  double bodies_mb = 0;
  for (const auto& [task, size] : sizes) bodies_mb += size.bytes / 1e6;
  needs.measured = static_cast<std::int64_t>(measured);
  needs.warmups = static_cast<std::int64_t>(warmups);
  needs.minutes = seconds / 60;
  needs.run_disk_mb =
      ((measured + warmups) * rows_bytes + body_bytes_on_disk(plan, sizes, arms)) / 1e6;
  needs.memory_mb = harness_memory_mb + bodies_mb + arms_mb;
  needs.assumptions = assumptions_of(plan);
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
