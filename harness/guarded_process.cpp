#include "harness/guarded_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <utility>

namespace tare::harness {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Longer than anything the guard does on its own (settling, killing).
constexpr milliseconds guard_limit(30'000);

// The report's lines; the other side is guard/main.cpp.
std::optional<RootEnd> parse_ended(const std::string& line) {
  int code = 0;
  int signal = 0;
  long long time_ns = 0;
  if (std::sscanf(line.c_str(), "ended %d %d %lld", &code, &signal, &time_ns) != 3) {
    return std::nullopt;
  }
  RootEnd end;
  if (signal != 0) {
    end.exit_signal = signal;
  } else {
    end.exit_code = code;
  }
  end.time_ns = time_ns;
  return end;
}

Error parse_failed(const std::string& line) {
  int code = 0;
  int text_at = 0;
  if (std::sscanf(line.c_str(), "failed %d %n", &code, &text_at) != 1 || text_at == 0) {
    return Error::io("tare-guard: unexpected report: " + line);
  }
  const std::string text = line.substr(static_cast<std::size_t>(text_at));
  const auto tab = text.find('\t');
  return Error{static_cast<Error::Code>(code), text.substr(0, tab),
               tab == std::string::npos ? std::string() : text.substr(tab + 1)};
}

}  // namespace

std::string RootEnd::text() const {
  return ExitStatus{.code = exit_code, .signal = exit_signal, .usage = {}}.text();
}

Result<GuardedProcess> GuardedProcess::start(const GuardedOptions& options) {
  SubprocessOptions guard;
  guard.argv = {options.guard.string()};
  for (const auto& folder : options.cgroups) {
    guard.argv.insert(guard.argv.end(), {"--cgroup", folder.string()});
  }
  if (!options.remove_folder.empty()) {
    guard.argv.insert(guard.argv.end(), {"--remove", options.remove_folder.string()});
  }
  if (!options.private_host.empty()) {
    guard.argv.insert(guard.argv.end(), {"--host", options.private_host});
  }
  guard.argv.insert(guard.argv.end(), {"--out", options.stdout_file.string(), "--err",
                                       options.stderr_file.string(), "--"});
  guard.argv.insert(guard.argv.end(), options.argv.begin(), options.argv.end());
  guard.environment = options.environment;
  guard.working_directory = options.working_directory;

  std::array<int, 2> channel;
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel.data()) != 0) {
    return fail(Error::io_errno("socketpair", errno));
  }
  guard.stdin_fd = channel[1];
  guard.stdout_fd = channel[1];
  auto started = Subprocess::start(guard);
  ::close(channel[1]);
  if (!started) {
    ::close(channel[0]);
    if (started.error().code != Error::Code::missing) return fail(started.error());
    return fail(Error::missing(options.guard.string() + " is not there",
                               "build the tree: cmake --build --preset release"));
  }
  GuardedProcess process(std::move(*started), channel[0]);
  const auto line = process.next_line(guard_limit);
  if (!line) return fail(Error::io("tare-guard ended before it could start " + options.argv[0]));
  long long began_ns = 0;
  if (std::sscanf(line->c_str(), "started %lld", &began_ns) != 1) {
    return fail(parse_failed(*line));
  }
  process.began_ns_ = began_ns;
  return process;
}

GuardedProcess::GuardedProcess(GuardedProcess&& other) noexcept
    : guard_(std::move(other.guard_)),
      channel_fd_(std::exchange(other.channel_fd_, -1)),
      began_ns_(other.began_ns_),
      buffer_(std::move(other.buffer_)),
      guard_gone_(other.guard_gone_),
      root_end_(other.root_end_) {}

GuardedProcess::~GuardedProcess() {
  release();
}

void GuardedProcess::release() {
  if (channel_fd_ < 0) return;
  ::close(std::exchange(channel_fd_, -1));
  guard_.wait(guard_limit);
}

std::optional<std::string> GuardedProcess::next_line(milliseconds limit) {
  const auto deadline = steady_clock::now() + limit;
  for (;;) {
    if (const auto end = buffer_.find('\n'); end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    if (guard_gone_ || channel_fd_ < 0) return std::nullopt;
    const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
    pollfd readable{.fd = channel_fd_, .events = POLLIN, .revents = 0};
    const int n = ::poll(&readable, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return std::nullopt;
    std::array<char, 4096> chunk;
    const ssize_t got = ::read(channel_fd_, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      guard_gone_ = true;
    } else {
      buffer_.append(chunk.data(), static_cast<std::size_t>(got));
    }
  }
}

std::optional<RootEnd> GuardedProcess::root_end() {
  if (!root_end_) {
    if (const auto line = next_line(milliseconds(0))) root_end_ = parse_ended(*line);
  }
  return root_end_;
}

Result<GuardedEnd> GuardedProcess::stop(milliseconds grace) {
  const std::string command = fmt::format("stop {}\n", grace.count());
  ::send(channel_fd_, command.data(), command.size(), MSG_NOSIGNAL);
  for (;;) {
    const auto line = next_line(grace + guard_limit);
    if (!line) {
      return fail(Error::crashed("tare-guard is gone, and what it had counted with it",
                                 "do not kill it: it ends by itself"));
    }
    if (const auto end = parse_ended(*line)) root_end_ = end;
    GuardedEnd end;
    int killed = 0;
    long long rusage_us = 0;
    if (root_end_ && std::sscanf(line->c_str(), "done %d %d %lld", &killed, &end.leaked_processes,
                                 &rusage_us) == 3) {
      end.root = *root_end_;
      end.killed = killed != 0;
      end.rusage_us = rusage_us;
      return end;
    }
  }
}

}  // namespace tare::harness
