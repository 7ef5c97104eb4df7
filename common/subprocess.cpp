#include "common/subprocess.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "common/files.h"
#include "common/held_signals.h"
#include "common/programs.h"

namespace tare {
namespace {

// What the child could not do, sent to the parent through a close-on-exec pipe.
struct StartFault {
  enum class Step : int { directory, stdin_file, stdout_file, stderr_file, cgroup, exec } step;
  int error_number;
};

const char* name_of(StartFault::Step step) {
  switch (step) {
    case StartFault::Step::directory:
      return "cannot enter the working folder";
    case StartFault::Step::stdin_file:
      return "cannot open the input file";
    case StartFault::Step::stdout_file:
      return "cannot open the file for its output";
    case StartFault::Step::stderr_file:
      return "cannot open the file for its errors";
    case StartFault::Step::cgroup:
      return "cannot enter its cgroup";
    case StartFault::Step::exec:
      return "cannot be executed";
  }
  return "cannot be started";
}

// Everything the child needs, made before fork: between fork and exec nothing may allocate.
struct Prepared {
  std::vector<std::string> candidates;
  std::vector<char*> argv;
  std::vector<char*> environment;
};

std::string path_of(const SubprocessOptions& options) {
  if (!options.environment) return path_variable();
  for (const auto& entry : *options.environment) {
    if (entry.starts_with("PATH=")) return entry.substr(5);
  }
  return usual_path;
}

Prepared prepare(const SubprocessOptions& options) {
  Prepared prepared;
  prepared.candidates = program_candidates(options.argv.front(), path_of(options));
  for (const auto& word : options.argv) prepared.argv.push_back(const_cast<char*>(word.c_str()));
  prepared.argv.push_back(nullptr);
  if (options.environment) {
    for (const auto& entry : *options.environment) {
      prepared.environment.push_back(const_cast<char*>(entry.c_str()));
    }
    prepared.environment.push_back(nullptr);
  }
  return prepared;
}

// 0 or the errno value.
int redirect(int given_fd, const std::filesystem::path& file, int flags, int target) {
  if (given_fd >= 0) return ::dup2(given_fd, target) < 0 ? errno : 0;
  const int fd = ::open(file.empty() ? "/dev/null" : file.c_str(), flags, 0644);
  if (fd < 0) return errno;
  if (fd == target) return 0;
  if (::dup2(fd, target) < 0) return errno;
  ::close(fd);
  return 0;
}

int enter_cgroup(const char* procs_file) {
  const int fd = ::open(procs_file, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  const bool written = ::write(fd, "0", 1) == 1;
  const int error_number = errno;
  ::close(fd);
  return written ? 0 : error_number;
}

[[noreturn]] void run_child(const SubprocessOptions& options, const Prepared& prepared, int pipe_fd,
                            pid_t parent) {
  // Above the three standard ones: a parent without them would have it overwritten below.
  const int fault_fd = ::fcntl(pipe_fd, F_DUPFD_CLOEXEC, 3);
  auto give_up = [fault_fd](StartFault::Step step, int error_number) {
    const StartFault fault{step, error_number};
    [[maybe_unused]] const auto sent = ::write(fault_fd, &fault, sizeof fault);
    ::_exit(127);
  };
  ::setpgid(0, 0);
  if (options.dies_with_parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);  // it ended before the call above
  }
  if (options.max_file_bytes > 0) {
    const rlimit limit{.rlim_cur = options.max_file_bytes, .rlim_max = options.max_file_bytes};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const auto& procs_file : options.enter_cgroups) {
    if (const int e = enter_cgroup(procs_file.c_str())) give_up(StartFault::Step::cgroup, e);
  }
  constexpr int create = O_WRONLY | O_CREAT | O_TRUNC;
  if (const int e = redirect(options.stdin_fd, options.stdin_file, O_RDONLY, STDIN_FILENO)) {
    give_up(StartFault::Step::stdin_file, e);
  }
  if (const int e = redirect(options.stdout_fd, options.stdout_file, create, STDOUT_FILENO)) {
    give_up(StartFault::Step::stdout_file, e);
  }
  const bool same = !options.stderr_file.empty() && options.stderr_file == options.stdout_file;
  if (same) {
    ::dup2(STDOUT_FILENO, STDERR_FILENO);
  } else if (const int e = redirect(-1, options.stderr_file, create, STDERR_FILENO)) {
    give_up(StartFault::Step::stderr_file, e);
  }
  if (!options.working_directory.empty() && ::chdir(options.working_directory.c_str()) != 0) {
    give_up(StartFault::Step::directory, errno);
  }
  // Descriptors that we inherited ourselves are not marked; a kernel before 5.11 leaves them open.
  ::close_range(STDERR_FILENO + 1, ~0u, CLOSE_RANGE_CLOEXEC);
  int error_number = ENOENT;
  for (const auto& candidate : prepared.candidates) {
    if (options.environment) {
      ::execve(candidate.c_str(), prepared.argv.data(), prepared.environment.data());
    } else {
      ::execv(candidate.c_str(), prepared.argv.data());
    }
    if (errno != ENOENT && errno != ENOTDIR) error_number = errno;
  }
  give_up(StartFault::Step::exec, error_number);
  ::_exit(127);
}

}  // namespace

std::string ExitStatus::text() const {
  if (signal) {
    const char* name = sigdescr_np(*signal);
    return fmt::format("signal {} ({})", *signal, name != nullptr ? name : "unknown");
  }
  return fmt::format("exit code {}", code.value_or(-1));
}

Result<Subprocess> Subprocess::start(const SubprocessOptions& options) {
  if (options.argv.empty() || options.argv.front().empty()) {
    return fail(Error::usage("a program to start is missing: its command is empty"));
  }
  const Prepared prepared = prepare(options);
  std::array<int, 2> fault_pipe;
  if (::pipe2(fault_pipe.data(), O_CLOEXEC) != 0) return fail(Error::io_errno("pipe", errno));
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) run_child(options, prepared, fault_pipe[1], parent);
  const int fork_errno = errno;
  ::close(fault_pipe[1]);
  if (pid < 0) {
    ::close(fault_pipe[0]);
    return fail(Error::io_errno(options.argv.front() + ": cannot fork", fork_errno));
  }
  ::setpgid(pid, pid);  // whichever of parent and child comes first
  StartFault fault{};
  ssize_t got;
  do {
    got = ::read(fault_pipe[0], &fault, sizeof fault);
  } while (got < 0 && errno == EINTR);
  ::close(fault_pipe[0]);
  if (got == sizeof fault) {
    ::waitpid(pid, nullptr, 0);
    auto message = fmt::format("{}: {}", options.argv.front(), name_of(fault.step));
    if (fault.step == StartFault::Step::exec && fault.error_number == ENOENT) {
      return fail(Error::missing(options.argv.front() + ": no such program",
                                 "install it or correct the command"));
    }
    return fail(Error::io_errno(std::move(message), fault.error_number));
  }
  const int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (pidfd < 0) {
    const int error_number = errno;
    ::kill(-pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    return fail(Error::io_errno(options.argv.front() + ": pidfd_open", error_number,
                                "needs Linux 5.3 or newer"));
  }
  ::fcntl(pidfd, F_SETFD, FD_CLOEXEC);
  return Subprocess(pid, pidfd);
}

Subprocess::Subprocess(Subprocess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      pidfd_(std::exchange(other.pidfd_, -1)),
      status_(std::exchange(other.status_, std::nullopt)) {}

Subprocess& Subprocess::operator=(Subprocess&& other) noexcept {
  if (this != &other) {
    finish();
    pid_ = std::exchange(other.pid_, -1);
    pidfd_ = std::exchange(other.pidfd_, -1);
    status_ = std::exchange(other.status_, std::nullopt);
  }
  return *this;
}

Subprocess::~Subprocess() {
  finish();
}

void Subprocess::finish() noexcept {
  if (pid_ > 0 && !status_) kill_group_and_reap();
  if (pidfd_ >= 0) ::close(pidfd_);
  pid_ = -1;
  pidfd_ = -1;
}

bool Subprocess::ends_within(std::chrono::milliseconds limit) const {
  using std::chrono::steady_clock;
  const auto deadline = steady_clock::now() + limit;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now());
    pollfd ended{.fd = pidfd_, .events = POLLIN, .revents = 0};
    const int n = ::poll(&ended, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (n > 0) return true;
    if (n == 0 || errno != EINTR) return false;
  }
}

ExitStatus Subprocess::reap() noexcept {
  int raw = 0;
  ExitStatus status;
  while (::wait4(pid_, &raw, 0, &status.usage) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(raw)) status.code = WEXITSTATUS(raw);
  if (WIFSIGNALED(raw)) status.signal = WTERMSIG(raw);
  status_ = status;
  return status;
}

// Before the child is reaped its id, and so its group's, cannot be another's.
ExitStatus Subprocess::kill_group_and_reap() noexcept {
  signal_group(SIGKILL);
  signal(SIGKILL);
  return reap();
}

std::optional<ExitStatus> Subprocess::wait(std::chrono::milliseconds limit) {
  if (!status_ && pid_ > 0 && ends_within(limit)) reap();
  return status_;
}

void Subprocess::signal(int number) {
  if (pid_ > 0 && !status_) ::kill(pid_, number);
}

void Subprocess::signal_group(int number) {
  if (pid_ > 0 && !status_) ::kill(-pid_, number);
}

ExitStatus Subprocess::stop(std::chrono::milliseconds grace) {
  if (status_) return *status_;
  signal(SIGTERM);
  ends_within(grace);
  return kill_group_and_reap();
}

Result<Output> run_to_end(SubprocessOptions options, std::string_view input,
                          std::chrono::milliseconds limit) {
  const HeldSignals held;  // let go last, when nothing is left of the process and its files
  auto folder = make_temporary_directory("tare-run");
  if (!folder) return fail(folder.error());
  struct Remove {
    std::filesystem::path path;
    ~Remove() {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
  } remove{*folder};
  options.stdin_file = *folder / "in";
  options.stdout_file = *folder / "out";
  options.stderr_file = *folder / "err";
  if (auto written = write_file(options.stdin_file, input); !written) return fail(written.error());
  options.dies_with_parent = true;
  auto process = Subprocess::start(options);
  if (!process) return fail(process.error());
  constexpr std::chrono::milliseconds step(50);
  for (auto left = limit; !process->ends_within(std::min(step, left)); left -= step) {
    if (HeldSignals::came()) {
      return fail(Error::crashed(options.argv.front() + ": stopped by a signal to its caller"));
    }
    if (left <= step) {
      return fail(Error::timed_out(fmt::format("{}: still running after {} s", options.argv.front(),
                                               std::chrono::duration<double>(limit).count())));
    }
  }
  const ExitStatus status = process->kill_group_and_reap();
  auto out = read_file(options.stdout_file);
  if (!out) return fail(out.error());
  auto err = read_file(options.stderr_file);
  if (!err) return fail(err.error());
  return Output{status, std::move(*out), std::move(*err)};
}

}  // namespace tare
