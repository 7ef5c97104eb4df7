#include "harness/arm_process.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <string_view>

#include "common/files.h"
#include "harness/arm_command.h"
#include "harness/cgroup.h"
#include "harness/guarded_process.h"
#include "harness/process_tree.h"
#include "harness/readiness.h"

namespace tare::harness {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr milliseconds probe_limit(1'000);
constexpr int shown_lines = 5;

// The two outputs of a start; its last words are on stderr, or else on stdout.
struct Outputs {
  fs::path out;
  fs::path err;

  std::string last_words() const {
    const auto text = last_lines(err, shown_lines);
    return text.empty() ? last_lines(out, shown_lines) : text;
  }
};

std::string with_last_words(std::string text, const Outputs& outputs) {
  const auto words = outputs.last_words();
  return words.empty() ? text : fmt::format("{}: {}", text, words);
}

class DirectArm final : public StartedArm {
 public:
  DirectArm(Clock& clock, std::string upstream)
      : clock_(clock), base_url_(std::move(upstream)), began_ns_(clock.monotonic_ns()) {}
  const std::vector<std::string>& argv() const override { return argv_; }
  const std::string& base_url() const override { return base_url_; }
  std::int64_t began_ns() const override { return began_ns_; }
  std::int64_t ready_ns() const override { return began_ns_; }
  Reading read() override { return sample(); }
  Reading sample() const override {
    Reading reading;
    reading.time_ns = clock_.monotonic_ns();
    return reading;
  }
  std::optional<std::int64_t> private_bytes() override { return std::nullopt; }
  void reset_peak() override {}
  std::optional<std::string> gone() override { return std::nullopt; }
  StopReport stop() override {
    StopReport report;
    report.ended_ns = clock_.monotonic_ns();
    return report;
  }

 private:
  Clock& clock_;
  std::vector<std::string> argv_;
  std::string base_url_;
  std::int64_t began_ns_;
};

// Where the client sends.
struct Addresses {
  std::string base_url;
  std::string proxy;  // empty: none
};

// `own` is the arm's own address. A forward proxy is told the upstream's under a name that it takes
// for one of the outside world.
Addresses addresses_of(const Manifest& manifest, const Placeholders& values, std::string own) {
  if (manifest.through != "forward") return {.base_url = std::move(own), .proxy = {}};
  const auto port = values.upstream.substr(values.upstream.rfind(':') + 1);
  return {.base_url = fmt::format("http://{}:{}", manifest.private_host, port),
          .proxy = std::move(own)};
}

class ProcessArm final : public StartedArm {
 public:
  ProcessArm(Clock& clock, const ArmCommand& command, Outputs outputs, Cgroup cgroup,
             GuardedProcess process, milliseconds stop_grace)
      : clock_(clock),
        argv_(command.argv),
        outputs_(std::move(outputs)),
        state_(command.values.state),
        remove_folder_(command.remove_folder),
        cgroup_(std::move(cgroup)),
        process_(std::move(process)),
        stop_grace_(stop_grace) {}
  // The guard cleans up unless somebody has killed it.
  ~ProcessArm() override {
    process_.release();
    cgroup_.kill();
    [[maybe_unused]] const auto removed = cgroup_.remove();
    std::error_code ignored;
    fs::remove_all(remove_folder_, ignored);
  }

  const std::vector<std::string>& argv() const override { return argv_; }
  const std::string& base_url() const override { return base_url_; }
  std::int64_t began_ns() const override { return process_.began_ns(); }
  std::int64_t ready_ns() const override { return ready_ns_; }
  std::string proxy() const override { return proxy_; }
  std::string state() const override { return state_.string(); }

  Reading sample() const override {
    return {.time_ns = clock_.monotonic_ns(),
            .cpu_us = cgroup_.cpu_us(),
            .anon_bytes = cgroup_.anon_bytes()};
  }

  Reading read() override {
    Reading reading = sample();
    if (!reading.cpu_us) reading.cpu_us = tree_cpu_us(process_.guard_pid());
    if (!reading.anon_bytes) reading.anon_bytes = anonymous_bytes(processes());
    return reading;
  }

  std::optional<std::int64_t> private_bytes() override {
    return harness::private_bytes(processes());
  }

  void reset_peak() override { peak_since_warmup_ = cgroup_.reset_peak(); }

  std::optional<std::string> gone() override {
    const auto end = process_.root_end();
    if (!end) return std::nullopt;
    return with_last_words("ended with " + end->text(), outputs_);
  }

  StopReport stop() override;

  void became_ready(Addresses addresses, std::int64_t time_ns) {
    base_url_ = std::move(addresses.base_url);
    proxy_ = std::move(addresses.proxy);
    ready_ns_ = time_ns;
  }

 private:
  std::vector<pid_t> processes() const {
    auto all = cgroup_.processes();
    return all.empty() ? descendants(process_.guard_pid()) : all;
  }

  Clock& clock_;
  std::vector<std::string> argv_;
  Outputs outputs_;
  fs::path state_;
  fs::path remove_folder_;  // may be empty
  Cgroup cgroup_;
  GuardedProcess process_;
  milliseconds stop_grace_;
  std::string base_url_;
  std::string proxy_;
  std::int64_t ready_ns_ = 0;
  bool peak_since_warmup_ = false;
};

// docs/decisions.md, "Measuring a process tree".
void cross_check(StopReport& report) {
  if (!report.cpu_total_us || !report.rusage_total_us) {
    report.grade = 'B';
    return;
  }
  const std::int64_t difference_us = *report.cpu_total_us - *report.rusage_total_us;
  const std::int64_t tolerance_us = std::max<std::int64_t>(10'000, *report.cpu_total_us / 50);
  if (std::abs(difference_us) <= tolerance_us) {
    report.grade = 'A';
    return;
  }
  report.grade = 'B';
  if (difference_us > 0) {
    report.events.push_back(fmt::format(
        "unreaped_children: {} us of {} us CPU were used by processes that nobody waited for",
        difference_us, *report.cpu_total_us));
  } else {
    report.fault = fmt::format(
        "the cgroup saw {} us of CPU, wait4 {} us: something of the arm ran outside its cgroup",
        *report.cpu_total_us, *report.rusage_total_us);
  }
}

StopReport ProcessArm::stop() {
  StopReport report;
  const auto end = process_.stop(stop_grace_);
  const auto left = cgroup_.processes();
  if (!left.empty()) cgroup_.kill();
  report.cpu_total_us = cgroup_.cpu_us();
  report.peak_bytes = cgroup_.peak_bytes();
  report.peak_since_warmup = peak_since_warmup_;
  report.leaked_processes = static_cast<int>(left.size());
  report.ended_ns = clock_.monotonic_ns();
  if (end) {
    report.exit_code = end->root.exit_code;
    report.exit_signal = end->root.exit_signal;
    report.killed = end->killed;
    report.ended_ns = end->root.time_ns;
    report.rusage_total_us = end->rusage_us;
    report.leaked_processes += end->leaked_processes;
    cross_check(report);
  } else {
    report.fault = end.error().text();
  }
  if (report.leaked_processes > 0) {
    report.events.push_back(fmt::format("leaked_processes: {} still ran after the arm had ended",
                                        report.leaked_processes));
  }
  process_.release();
  return report;
}

// What a retry with another port can mend.
bool port_was_taken(int port, const Outputs& outputs) {
  if (port == 0) return false;
  std::string words = outputs.last_words();
  std::transform(words.begin(), words.end(), words.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return words.find("address already in use") != std::string::npos || !port_is_free(port);
}

class Starter final : public ArmStarter {
 public:
  Starter(Clock& clock, fs::path bin, fs::path logs, StarterOptions options)
      : clock_(clock), bin_(std::move(bin)), logs_(std::move(logs)), options_(std::move(options)) {}

  Result<std::unique_ptr<StartedArm>> start(const Manifest& manifest,
                                            const std::vector<std::string>& removed_arguments,
                                            const std::string& upstream) override;

 private:
  Result<std::unique_ptr<ProcessArm>> launch(const Manifest& manifest, const ArmCommand& command,
                                             const Outputs& outputs);
  Result<void> await_ready(const Manifest& manifest, const ArmCommand& command,
                           const Outputs& outputs, ProcessArm& arm);

  Clock& clock_;
  fs::path bin_;
  fs::path logs_;
  StarterOptions options_;
  std::map<std::string, int> starts_;  // so far, by arm
};

// Gives the first line, a status below 500 or an accepted connection its base URL; empty: not yet.
std::string look(const Manifest& manifest, int port, const fs::path& out) {
  if (manifest.ready.stdout_line) {
    return first_line(out).value_or("");
  }
  if (manifest.ready.http) {
    const auto status = http_status(port, *manifest.ready.http, probe_limit);
    if (!status || *status >= 500) return {};
  } else if (!accepts_connection(port, probe_limit)) {
    return {};
  }
  return manifest.base_url;
}

std::string awaited(const Ready& ready, int port) {
  if (ready.stdout_line) return "no whole line on its stdout, which may be buffered";
  if (ready.http)
    return fmt::format("no status below 500 for GET {} on port {}", *ready.http, port);
  return fmt::format("no connection accepted on port {}", port);
}

// Requests go nowhere but to this machine, whatever an arm prints.
bool is_loopback_url(std::string_view url) {
  return std::ranges::any_of(
      std::array<std::string_view, 3>{"http://127.0.0.1:", "http://localhost:", "http://[::1]:"},
      [&](std::string_view start) {
        if (!url.starts_with(start)) return false;
        const auto port = url.substr(start.size());
        const auto end = std::min(port.find('/'), port.size());
        return end > 0 && port.substr(0, end).find_first_not_of("0123456789") == port.npos;
      });
}

Result<std::unique_ptr<StartedArm>> Starter::start(
    const Manifest& manifest, const std::vector<std::string>& removed_arguments,
    const std::string& upstream) {
  if (manifest.kind == ArmKind::direct) return std::make_unique<DirectArm>(clock_, upstream);
  if (auto made = make_directories(logs_); !made) return fail(made.error());
  const int number = ++starts_[manifest.name];
  for (bool again = true;; again = false) {
    auto command = prepare_command(
        manifest, removed_arguments, upstream, bin_,
        options_.kept_state.empty() ? fs::path() : options_.kept_state / manifest.name);
    if (!command) return fail(command.error());
    const Outputs outputs{logs_ / fmt::format("{}-r{}.out", manifest.name, number),
                          logs_ / fmt::format("{}-r{}.err", manifest.name, number)};
    if (number == 1 && again) read_files_of(*command);
    auto arm = launch(manifest, *command, outputs);
    if (!arm) return fail(arm.error());
    const auto ready = await_ready(manifest, *command, outputs, **arm);
    if (ready) return std::unique_ptr<StartedArm>(std::move(*arm));
    const bool retry = again && ready.error().code == Error::Code::crashed &&
                       port_was_taken(command->values.port, outputs);
    if (!retry) return fail(ready.error());
  }
}

Result<std::unique_ptr<ProcessArm>> Starter::launch(const Manifest& manifest,
                                                    const ArmCommand& command,
                                                    const Outputs& outputs) {
  auto give_up = [&](Error error) {
    std::error_code ignored;
    fs::remove_all(command.remove_folder, ignored);
    error.message = fmt::format("arm {}: {}", manifest.name, error.message);
    return fail(std::move(error));
  };
  auto cgroup = Cgroup::make(options_.use_cgroups ? own_cgroups() : CgroupParents{},
                             fmt::format("tare-{}-{}", ::getpid(), clock_.monotonic_ns()));
  if (!cgroup) return give_up(cgroup.error());
  GuardedOptions options;
  options.guard = bin_ / "tare-guard";
  options.argv = command.argv;
  options.environment = command.environment;
  options.working_directory = command.values.state;
  options.stdout_file = outputs.out;
  options.stderr_file = outputs.err;
  options.cgroups = cgroup->folders();
  options.remove_folder = command.remove_folder;
  options.private_host = manifest.private_host;
  auto process = GuardedProcess::start(options);
  if (!process) {
    [[maybe_unused]] const auto removed = cgroup->remove();
    return give_up(process.error());
  }
  return std::make_unique<ProcessArm>(clock_, command, outputs, std::move(*cgroup),
                                      std::move(*process), options_.stop_grace);
}

Result<void> Starter::await_ready(const Manifest& manifest, const ArmCommand& command,
                                  const Outputs& outputs, ProcessArm& arm) {
  const std::int64_t deadline_ns =
      arm.began_ns() + std::int64_t{manifest.ready.within_s} * 1'000'000'000;
  for (;;) {
    // The sign first: a port that answers is another's when the arm has ended meanwhile.
    const std::string base_url = look(manifest, command.values.port, outputs.out);
    const std::int64_t now_ns = clock_.monotonic_ns();
    if (const auto gone = arm.gone()) {
      return fail(Error::crashed(fmt::format("arm {}: not ready: {}", manifest.name, *gone),
                                 outputs.last_words().empty()
                                     ? "it printed nothing; have it log to stderr"
                                     : "its output is in " + outputs.err.string()));
    }
    if (!base_url.empty()) {
      if (manifest.ready.stdout_line && !is_loopback_url(base_url)) {
        return fail(Error::invalid(
            fmt::format("arm {}: its first line on stdout is no base URL on loopback: \"{}\"",
                        manifest.name, base_url.substr(0, 100)),
            "see docs/adding-an-arm.md, ready"));
      }
      arm.became_ready(addresses_of(manifest, command.values, resolve(base_url, command.values)),
                       now_ns);
      return {};
    }
    if (now_ns > deadline_ns) {
      return fail(Error::timed_out(
          with_last_words(
              fmt::format("arm {}: not ready after {} s, {}", manifest.name,
                          manifest.ready.within_s, awaited(manifest.ready, command.values.port)),
              outputs),
          "its output is in " + outputs.err.string()));
    }
    if (options_.interrupt != nullptr && *options_.interrupt != 0) {
      return fail(
          Error::timed_out(fmt::format("arm {}: interrupted before it was ready", manifest.name)));
    }
    // Looking costs the arm something: every 1 to 50 ms, about 2 % of the time gone by.
    const std::int64_t pause_ns =
        std::clamp<std::int64_t>((now_ns - arm.began_ns()) / 50, 1'000'000, 50'000'000);
    clock_.sleep_until_ns(now_ns + pause_ns);
  }
}

}  // namespace

MeterGrade probe_meters() {
  const auto& cgroups = own_cgroups();
  MeterGrade meters;
  meters.grade = cgroups.cpu.empty() || cgroups.memory.empty() ? 'B' : 'A';
  // The files, not the folders: a run folder is shown to others, and the folders name this
  // machine's own groups.
  const std::string_view cpu = cgroups.cpu.empty() ? "wait4 and /proc"
                               : cgroups.cpu_is_v2 ? "cpu.stat of cgroup v2"
                                                   : "cpuacct.usage of cgroup v1";
  const std::string_view memory = cgroups.memory.empty() ? "/proc"
                                  : cgroups.memory_is_v2 ? "memory.stat of cgroup v2"
                                                         : "memory.stat of cgroup v1";
  meters.where = fmt::format("CPU: {}; memory: {}", cpu, memory);
  meters.limits = cgroups.limits;
  return meters;
}

std::unique_ptr<ArmStarter> make_arm_starter(Clock& clock, const fs::path& bin,
                                             const fs::path& logs, StarterOptions options) {
  return std::make_unique<Starter>(clock, bin, logs, std::move(options));
}

}  // namespace tare::harness
