#include "harness/start_run.h"

#include <fmt/format.h>

#include <utility>

namespace tare::harness {

StartRun::StartRun(const Plan& plan, const ArmToRun& arm, const StartPlace& place,
                   const RunnerParts& parts, RunLog& log)
    : plan_(plan), arm_(arm), parts_(parts), log_(log) {
  row_.start = log.next_start();
  row_.round = place.round;
  row_.position = place.position;
  row_.design = place.design;
  row_.block = place.block;
  row_.arm = arm.manifest.name;
}

bool StartRun::start() {
  if (arm_.not_installed) {
    row_.outcome = Outcome::not_installed;
    row_.reason = without_name(row_.arm, *arm_.not_installed);
    log_.end_start(row_);
    return false;
  }
  const auto removed =
      plan_.removed_arguments.find(arm_.twin_of ? *arm_.twin_of : arm_.manifest.name);
  auto started = parts_.starter.start(
      arm_.manifest,
      removed != plan_.removed_arguments.end() ? removed->second : std::vector<std::string>{},
      parts_.upstream.url());
  if (!started) {
    const bool hung = started.error().code == Error::Code::timed_out;
    const bool crashed = started.error().code == Error::Code::crashed;
    row_.outcome = parts_.interrupt != 0 ? Outcome::interrupted
                   : hung                ? Outcome::hung
                   : crashed             ? Outcome::crashed
                                         : Outcome::failed;
    row_.reason = without_name(row_.arm, started.error().text());
    log_.record_receipts(row_.start);
    log_.end_start(row_);
    return false;
  }
  started_ = std::move(*started);
  if (!started_->argv().empty()) {
    row_.argv = started_->argv();
    if (parts_.sample_every) {
      sampler_.start([&arm = *started_] { return arm.sample(); }, *parts_.sample_every);
    }
  }
  const Reading ready = started_->read();
  row_.began_ns = started_->began_ns();
  row_.ready_ns = started_->ready_ns();
  row_.cpu_at_ready_us = ready.cpu_us;
  row_.anon_at_ready_bytes = ready.anon_bytes;
  log_.record_receipts(row_.start);
  if (arm_.manifest.retrieve) {
    retrieval_.emplace(arm_.manifest, *started_, parts_.upstream.url());
  }
  client_ = parts_.make_client();
  if (const auto proxy = started_->proxy(); !proxy.empty()) client_->use_proxy(proxy);
  return true;
}

std::optional<GroupTarget> StartRun::target(const Group& group) {
  const auto path = path_of(arm_.manifest, group.workload.route);
  if (!path) return std::nullopt;
  return GroupTarget{*started_, *client_, started_->base_url() + *path, group,
                     &group == &plan_.groups.front()};
}

void StartRun::leave_out(const Group& group) {
  log_.event("route_not_supported", row_.arm, row_.round,
             fmt::format("{} {}", name_of(group.task), name_of(group.mode)));
}

bool StartRun::record(const Group& group, GroupRun& run, const std::vector<Received>& received) {
  if (!row_.first_request_ns && !run.sent.empty()) {
    const Exchange& first = run.sent.front().exchange;
    if (run.sent.front().phase == Phase::warmup && first.last_byte_ns) {
      row_.first_request_ns = *first.last_byte_ns - first.sent_ns;
    }
  }
  if (auto row = log_.record(row_, arm_.manifest, group, run, received,
                             retrieval_ ? &*retrieval_ : nullptr)) {
    flush_last();
    last_ = std::move(row);
    last_cpu_us_ = run.window->end.cpu_us;
  }
  if (run.ending) {
    end_with(run.ending->outcome, run.ending->outcome == Outcome::interrupted
                                      ? log_.interrupted_by()
                                      : std::move(run.ending->reason));
  }
  return !run.ending;
}

void StartRun::close_last(const Reading& now) {
  if (!last_) return;
  if (now.cpu_us && last_cpu_us_) last_->cpu_after_us = *now.cpu_us - *last_cpu_us_;
  flush_last();
}

void StartRun::flush_last() {
  if (last_) log_.add(*std::exchange(last_, std::nullopt));
}

void StartRun::end_with(Outcome outcome, std::string reason) {
  if (row_.outcome != Outcome::ok) return;
  row_.outcome = outcome;
  row_.reason = std::move(reason);
}

void StartRun::stop() {
  if (!up()) return;
  flush_last();
  if (auto gone = started_->gone()) end_with(Outcome::crashed, std::move(*gone));
  log_.add_samples(row_.start, sampler_.stop());
  client_.reset();
  retrieval_.reset();
  fill(row_, started_->stop(), log_);
  started_.reset();
  if (row_.design != Design::sliced) log_.record_receipts(row_.start);
  log_.end_start(row_);
}

}  // namespace tare::harness
