#include "tests/load/lab.h"

#include <time.h>

#include <filesystem>

#include "common/clock.h"
#include "common/files.h"
#include "harness/manifest.h"

namespace tare::load {

void Findings::note(std::string what, std::string measured) {
  rows.push_back({std::move(what), "", std::move(measured), Row::Verdict::noted, false});
}

void Findings::judge(std::string what, std::string demanded, std::string measured, bool met) {
  rows.push_back({std::move(what), std::move(demanded), std::move(measured),
                  met ? Row::Verdict::met : Row::Verdict::not_met, false});
}

void Findings::judge_time(std::string what, std::string demanded, std::string measured, bool met) {
  judge(std::move(what), std::move(demanded), std::move(measured), met);
  rows.back().timed = true;
}

namespace {

void set_affinity(const cpu_set_t& cpus) {
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    ::sched_setaffinity(std::stoi(thread.path().filename()), sizeof cpus, &cpus);
  }
}

}  // namespace

OneCpu::OneCpu() {
  ::sched_getaffinity(0, sizeof before_, &before_);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(::sched_getcpu()), &one);
  set_affinity(one);
}

OneCpu::~OneCpu() {
  set_affinity(before_);
}

Lab::Lab(bool quick)
    : quick_(quick),
      folder_(make_temporary_directory("tare-load").value().string()),
      starter_(harness::make_arm_starter(system_clock(), TARE_BIN_DIR, folder_)) {}

Lab::~Lab() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

Result<std::optional<Arm>> Lab::start(std::string_view name) {
  const std::filesystem::path source = TARE_SOURCE_DIR;
  const auto folder = name == "direct" ? source / "arms" / name : source / "tests/load/arms" / name;
  const auto manifest = harness::read_manifest(folder);
  if (!manifest) return fail(manifest.error());
  auto started = starter_->start(*manifest, {}, upstream_.url());
  if (started) return std::move(*started);
  if (started.error().code == Error::Code::missing) return std::nullopt;
  return fail(started.error());
}

Result<Arm> Lab::start_own(std::string_view name) {
  auto started = start(name);
  if (!started) return fail(started.error());
  if (!*started)
    return fail(Error::missing(std::string(name) + " is not built", "build tare-proxy"));
  return std::move(**started);
}

Result<std::vector<Compared>> start_all(Lab& lab, const std::vector<std::string_view>& names) {
  std::vector<Compared> all;
  for (const std::string_view name : names) {
    auto started = lab.start(name);
    if (!started) return fail(started.error());
    if (*started) all.push_back({std::string(name), std::move(**started)});
  }
  return all;
}

std::int64_t now_ns() {
  return system_clock().monotonic_ns();
}

std::int64_t cpu_us(harness::StartedArm& arm) {
  return arm.read().cpu_us.value_or(0);
}

double mib(std::optional<std::int64_t> bytes) {
  return static_cast<double>(bytes.value_or(0)) / (1 << 20);
}

void rest(double seconds) {
  system_clock().sleep_until_ns(now_ns() + static_cast<std::int64_t>(seconds * 1e9));
}

}  // namespace tare::load
