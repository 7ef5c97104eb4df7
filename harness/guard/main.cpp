// tare-guard --cgroup DIR ... [--remove DIR] [--host NAME] --out FILE --err FILE -- ARGV...
//
// Starts ARGV and sees to it that nothing of it outlives whoever holds the other end of stdin; the
// contract is that of harness/guarded_process.h. Reports on stdout, a line each:
//   started BEGAN_NS | failed CODE MESSAGE[\tREMEDY]
//   ended EXIT_CODE SIGNAL TIME_NS             the root was reaped; the rest may still run
//   done KILLED LEAKED RUSAGE_US               after "stop GRACE_MS" on stdin: nothing runs any
//   more
// The end of stdin means: kill, remove the cgroups and the folder, end.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>

#include "common/clock.h"
#include "common/subprocess.h"
#include "harness/guard/private_host.h"
#include "harness/process_tree.h"

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

// For processes that end because the root has: helpers that notice a closed pipe, workers.
constexpr milliseconds settle_limit(1000);

struct Arguments {
  tare::SubprocessOptions process;
  std::vector<fs::path> cgroups;
  fs::path remove;
  std::string host;  // a name for loopback that only the tree knows
};

std::optional<Arguments> parse(int argc, char** argv) {
  Arguments arguments;
  int i = 1;
  for (; i + 1 < argc && std::string_view(argv[i]) != "--"; i += 2) {
    const std::string_view name = argv[i];
    const fs::path value = argv[i + 1];
    if (name == "--cgroup") {
      arguments.cgroups.push_back(value);
      arguments.process.enter_cgroups.push_back(value / "cgroup.procs");
    } else if (name == "--remove") {
      arguments.remove = value;
    } else if (name == "--host") {
      arguments.host = value;
    } else if (name == "--out") {
      arguments.process.stdout_file = value;
    } else if (name == "--err") {
      arguments.process.stderr_file = value;
    } else {
      return std::nullopt;
    }
  }
  if (i + 1 >= argc) return std::nullopt;
  arguments.process.argv.assign(argv + i + 1, argv + argc);
  arguments.process.dies_with_parent = true;
  return arguments;
}

// The owner may be gone: then nobody reads, and the end of stdin says so.
void report(const std::string& line) {
  [[maybe_unused]] const auto sent = ::write(STDOUT_FILENO, line.data(), line.size());
}

class Guard {
 public:
  Guard(tare::Subprocess root, int child_signals)
      : root_(std::move(root)), child_signals_(child_signals) {}

  // Until the owner says stop or is gone.
  void watch() {
    for (;;) {
      reap_ended();
      std::array<pollfd, 2> events{pollfd{STDIN_FILENO, POLLIN, 0},
                                   pollfd{child_signals_, POLLIN, 0}};
      if (::poll(events.data(), events.size(), -1) < 0) continue;
      if (events[0].revents != 0 && obey()) return;
    }
  }

  // Kills until no descendant is left; as a subreaper we are the parent of each in the end.
  void kill_all() {
    for (;;) {
      for (const pid_t pid : tare::harness::descendants(::getpid())) ::kill(pid, SIGKILL);
      if (!reap_ended()) return;
      std::this_thread::sleep_for(milliseconds(1));
    }
  }

 private:
  // Returns whether the owner is gone.
  bool obey() {
    std::array<char, 64> text{};
    const ssize_t n = ::read(STDIN_FILENO, text.data(), text.size() - 1);
    if (n < 0 && errno == EINTR) return false;
    if (n <= 0) return true;
    long long grace_ms = 0;
    if (std::sscanf(text.data(), "stop %lld", &grace_ms) == 1) stop(milliseconds(grace_ms));
    return false;
  }

  void stop(milliseconds grace) {
    root_.signal(SIGTERM);
    bool killed = false;
    if (!wait_until(grace, [this] { return root_.reaped(); })) {
      killed = true;
      root_.signal(SIGKILL);
      wait_until(settle_limit, [this] { return root_.reaped(); });
    }
    wait_until(settle_limit, [this] { return !any_child_; });
    const auto leaked = tare::harness::descendants(::getpid()).size();
    kill_all();
    rusage used{};
    ::getrusage(RUSAGE_CHILDREN, &used);
    auto us = [](const timeval& t) { return std::int64_t{t.tv_sec} * 1'000'000 + t.tv_usec; };
    report(fmt::format("done {} {} {}\n", killed ? 1 : 0, leaked,
                       us(used.ru_utime) + us(used.ru_stime)));
  }

  // False when the limit runs out, or at once when the owner is gone.
  template <typename Condition>
  bool wait_until(milliseconds limit, Condition condition) {
    const auto deadline = steady_clock::now() + limit;
    for (;;) {
      reap_ended();
      if (condition()) return true;
      const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
      if (left <= milliseconds(0)) return false;
      std::array<pollfd, 2> events{pollfd{child_signals_, POLLIN, 0}, pollfd{STDIN_FILENO, 0, 0}};
      ::poll(events.data(), events.size(), static_cast<int>(left.count()));
      if ((events[1].revents & POLLHUP) != 0) return false;
    }
  }

  // Reaps all that has ended; returns whether any child is left.
  bool reap_ended() {
    signalfd_siginfo drained{};
    while (::read(child_signals_, &drained, sizeof drained) > 0) {
    }
    for (;;) {
      siginfo_t ended{};
      if (::waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) != 0) return any_child_ = false;
      if (ended.si_pid == 0) return any_child_ = true;
      if (ended.si_pid != root_.pid()) {
        ::waitpid(ended.si_pid, nullptr, 0);
      } else if (const auto status = root_.wait(milliseconds(0))) {
        report(fmt::format("ended {} {} {}\n", status->code.value_or(0), status->signal.value_or(0),
                           tare::system_clock().monotonic_ns()));
      }
    }
  }

  tare::Subprocess root_;
  int child_signals_;
  bool any_child_ = true;
};

void remove(const Arguments& arguments) {
  for (const auto& folder : arguments.cgroups) {
    // Refused for a moment after the last process has gone.
    for (int attempt = 0; attempt < 200 && ::rmdir(folder.c_str()) != 0 && errno == EBUSY;
         ++attempt) {
      std::this_thread::sleep_for(milliseconds(5));
    }
  }
  std::error_code ignored;
  if (!arguments.remove.empty()) fs::remove_all(arguments.remove, ignored);
}

}  // namespace

int main(int argc, char** argv) {
  auto arguments = parse(argc, argv);
  if (!arguments) {
    fmt::print(stderr, "tare-guard is started by tare; it is of no use on its own\n");
    return 2;
  }
  // Only the owner stops it.
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) ::signal(number, SIG_IGN);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t child;
  ::sigemptyset(&child);
  ::sigaddset(&child, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &child, nullptr);
  const int child_signals = ::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);

  const auto began_ns = tare::system_clock().monotonic_ns();
  const auto mapped = arguments->host.empty() ? tare::Result<void>()
                                              : tare::harness::map_to_loopback(arguments->host);
  auto root = mapped ? tare::Subprocess::start(arguments->process) : tare::fail(mapped.error());
  if (!root) {
    const auto& error = root.error();
    report(fmt::format("failed {} {}\t{}\n", static_cast<int>(error.code), error.message,
                       error.remedy));
    remove(*arguments);
    return 1;
  }
  report(fmt::format("started {}\n", began_ns));
  Guard guard(std::move(*root), child_signals);
  guard.watch();
  guard.kill_all();
  remove(*arguments);
  return 0;
}
