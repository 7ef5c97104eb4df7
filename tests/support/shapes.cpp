// An arm made for tests: a process tree of a known shape that uses known CPU or memory. When that
// is done it prints "http://127.0.0.1:1" (it is ready), then the figure, and waits for SIGTERM.
//
//   shapes waited | auto-reaped | double-forked | threads   300 tasks of 3 ms CPU: "cpu_us N"
//   shapes memory                                           four forked workers: "bytes N"
//   shapes wait                                             nothing
//   shapes leave                                            leaves a daemon behind: "pid N"
//   shapes ignore                                           ignores SIGTERM
//   shapes end                                              ends by itself after a moment
//   shapes fail TEXT                                        TEXT on stderr, exit code 3
//   shapes hang                                             never says that it is ready
//   shapes environment                                      its environment, a line each
//   shapes listen PORT                                      takes connections
//   shapes busy-once FILE PORT                              the same, but says that the port is in
//                                                           use as long as FILE is not there
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <string_view>
#include <thread>
#include <vector>

namespace {

constexpr int tasks = 300;
constexpr std::int64_t task_us = 3'000;
constexpr int at_once = 4;

std::int64_t clock_us(clockid_t id) {
  timespec t{};
  clock_gettime(id, &t);
  return std::int64_t{t.tv_sec} * 1'000'000 + t.tv_nsec / 1'000;
}

// Uses CPU by the clock's own account, so that a busy machine changes nothing.
void burn(clockid_t clock) {
  const std::int64_t until = clock_us(clock) + task_us;
  while (clock_us(clock) < until) {
  }
}

template <typename T>
T* shared(std::size_t count) {
  void* memory =
      ::mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  return new (memory) T[count]();
}

// What the leaves used and how many have ended; every process of the tree adds to it.
struct Tally {
  std::atomic<std::int64_t> cpu_us = 0;
  std::atomic<int> ended = 0;
};

[[noreturn]] void leaf(Tally& tally) {
  burn(CLOCK_PROCESS_CPUTIME_ID);
  tally.cpu_us += clock_us(CLOCK_PROCESS_CPUTIME_ID);
  ++tally.ended;
  ::_exit(0);
}

void pause_ms(int ms) {
  std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

void waited(Tally& tally) {
  for (int task = 0; task < tasks; ++task) {
    const pid_t pid = ::fork();
    if (pid == 0) leaf(tally);
    ::waitpid(pid, nullptr, 0);
  }
}

void auto_reaped(Tally& tally) {
  ::signal(SIGCHLD, SIG_IGN);
  for (int task = 0; task < tasks; ++task) {
    while (task - tally.ended >= at_once) pause_ms(1);
    if (::fork() == 0) leaf(tally);
  }
}

void double_forked(Tally& tally) {
  for (int task = 0; task < tasks; ++task) {
    while (task - tally.ended >= at_once) pause_ms(1);
    const pid_t middle = ::fork();
    if (middle == 0) {
      ::setsid();
      if (::fork() == 0) leaf(tally);
      tally.cpu_us += clock_us(CLOCK_PROCESS_CPUTIME_ID);
      ::_exit(0);
    }
    ::waitpid(middle, nullptr, 0);
  }
}

void threads(Tally& tally) {
  for (int task = 0; task < tasks; task += at_once) {
    std::vector<std::thread> running;
    for (int i = 0; i < at_once; ++i) {
      running.emplace_back([&tally] {
        burn(CLOCK_THREAD_CPUTIME_ID);
        tally.cpu_us += clock_us(CLOCK_THREAD_CPUTIME_ID);
        ++tally.ended;
      });
    }
    for (auto& thread : running) thread.join();
  }
}

void say_ready() {
  std::printf("http://127.0.0.1:1\n");
}

void print_cpu(void (*shape)(Tally&)) {
  Tally& tally = *shared<Tally>(1);
  // The root's own part; its threads report for themselves.
  const std::int64_t own_begin = clock_us(CLOCK_THREAD_CPUTIME_ID);
  shape(tally);
  while (tally.ended < tasks) pause_ms(1);
  pause_ms(50);  // the last leaves are still ending
  const std::int64_t own = clock_us(CLOCK_THREAD_CPUTIME_ID) - own_begin;
  say_ready();
  std::printf("cpu_us %lld\n", static_cast<long long>(tally.cpu_us + own));
}

// 64 MiB of the root, seen by all; each worker makes 8 MiB of them its own and adds 24 MiB.
void print_memory() {
  constexpr std::size_t mib = std::size_t{1} << 20;
  auto anonymous = [](std::size_t bytes) {
    void* memory =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) std::abort();
    std::memset(memory, 1, bytes);
    return static_cast<char*>(memory);
  };
  char* const common = anonymous(64 * mib);
  constexpr int workers = 4;
  auto& ready = *shared<std::atomic<int>>(1);
  for (int worker = 0; worker < workers; ++worker) {
    if (::fork() == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      std::memset(common, 2, 8 * mib);
      anonymous(24 * mib);
      ++ready;
      for (;;) ::pause();
    }
  }
  while (ready < workers) pause_ms(1);
  say_ready();
  std::printf("bytes %lld\n", static_cast<long long>((64 + workers * (8 + 24)) * mib));
}

void leave_daemon() {
  auto& daemon = *shared<std::atomic<pid_t>>(1);
  if (::fork() == 0) {
    ::setsid();
    if (::fork() == 0) {
      daemon = ::getpid();
      for (;;) ::pause();
    }
    ::_exit(0);
  }
  ::wait(nullptr);
  while (daemon == 0) pause_ms(1);
  say_ready();
  std::printf("pid %d\n", daemon.load());
}

int listen_on(int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(fd, 16) != 0) {
    std::perror("listen");
    return 1;
  }
  for (;;) ::pause();
}

void print_environment() {
  say_ready();
  for (char** entry = environ; *entry != nullptr; ++entry) std::printf("%s\n", *entry);
}

struct Shape {
  std::string_view name;
  void (*act)();
};

constexpr std::array shapes{
    Shape{"waited", [] { print_cpu(waited); }},
    Shape{"auto-reaped", [] { print_cpu(auto_reaped); }},
    Shape{"double-forked", [] { print_cpu(double_forked); }},
    Shape{"threads", [] { print_cpu(threads); }},
    Shape{"memory", print_memory},
    Shape{"wait", say_ready},
    Shape{"leave", leave_daemon},
    Shape{"environment", print_environment},
    Shape{"hang", [] {}},
};

}  // namespace

int main(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  if (name == "fail" && argc > 2) {
    std::fprintf(stderr, "%s\n", argv[2]);
    return 3;
  }
  if (name == "listen" && argc > 2) return listen_on(std::atoi(argv[2]));
  if (name == "busy-once" && argc > 3) {
    if (::open(argv[2], O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600) < 0) {
      return listen_on(std::atoi(argv[3]));
    }
    std::fprintf(stderr, "cannot listen: Address already in use\n");
    return 1;
  }
  // Nothing may interrupt the work: the end is waited for below.
  sigset_t term;
  ::sigemptyset(&term);
  ::sigaddset(&term, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &term, nullptr);
  if (name == "ignore" || name == "end") say_ready();
  for (const auto& shape : shapes) {
    if (shape.name == name) shape.act();
  }
  std::fflush(stdout);
  if (name == "end") {
    pause_ms(50);
    return 4;
  }
  while (name == "ignore") ::pause();
  int number = 0;
  ::sigwait(&term, &number);
  return 0;
}
