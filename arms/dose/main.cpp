// tare-dose: forwards every request to one upstream, and on top of that does what it is told: burns
// CPU, sleeps, holds memory, makes bodies longer. It measures its own dose, so that a benchmark can
// be held against it: tare selftest. Never an arm of a plan.
//
// On SIGTERM it prints its dose on stdout, a JSON object on one line: see report().
#include <httplib.h>
#include <sys/socket.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Dose {
  std::int64_t cpu_us = 0;    // burnt for each POST
  std::int64_t sleep_us = 0;  // slept for each POST
  std::size_t memory_bytes = 0;
  std::size_t pad_bytes = 0;  // blanks behind each body
};

std::int64_t now_ns(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// Arithmetic in registers: no system call, no cache line of anybody is touched.
void turn(std::int64_t turns) {
  std::uint64_t state = 1;
  for (std::int64_t i = 0; i < turns; ++i) {
    state = state * 6'364'136'223'846'793'005u + 1;
    asm volatile("" : "+r"(state));
  }
}

// How many turns take about that time: by the fastest of a few tries, since whatever else runs only
// makes them slower.
std::int64_t turns_of(std::int64_t cpu_us) {
  if (cpu_us == 0) return 0;
  constexpr std::int64_t tried = 100'000;
  std::int64_t fastest_ns = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < 20; ++i) {
    const std::int64_t begin_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);
    turn(tried);
    fastest_ns = std::min(fastest_ns, now_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns);
  }
  return tried * cpu_us * 1000 / std::max<std::int64_t>(fastest_ns, 1);
}

// What was done so far.
class Given {
 public:
  // Burns so many turns and counts what that took by the thread's own clock. A dose of none reads
  // the clock too: its two readings, of which half a one each lies outside, are then in every copy
  // of this program, and one copy's count less another's is what the one burnt more.
  void burn(std::int64_t turns) {
    const std::int64_t begin_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);
    turn(turns);
    cpu_ns_ += now_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
  }
  void sleep(std::int64_t sleep_us) {
    const std::int64_t begin_ns = now_ns(CLOCK_MONOTONIC);
    const std::int64_t until_ns = begin_ns + sleep_us * 1000;
    const timespec until{.tv_sec = until_ns / 1'000'000'000, .tv_nsec = until_ns % 1'000'000'000};
    while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
    }
    slept_ns_ += now_ns(CLOCK_MONOTONIC) - begin_ns;
  }
  void count() { ++requests_; }

  void report(const Dose& dose) const {
    std::printf("{\"requests\":%" PRId64 ",\"cpu_ns\":%" PRId64 ",\"slept_ns\":%" PRId64
                ",\"memory_bytes\":%zu,\"pad_bytes\":%zu}\n",
                requests_.load(), cpu_ns_.load(), slept_ns_.load(), dose.memory_bytes,
                dose.pad_bytes);
    std::fflush(stdout);
  }

 private:
  std::atomic<std::int64_t> requests_ = 0;
  std::atomic<std::int64_t> cpu_ns_ = 0;
  std::atomic<std::int64_t> slept_ns_ = 0;
};

class Server : public httplib::Server {
 public:
  Server(std::string upstream, const Dose& dose, Given& given)
      : upstream_(std::move(upstream)), dose_(dose), turns_(turns_of(dose.cpu_us)), given_(given) {
    new_task_queue = [] { return new httplib::ThreadPool(8); };
    set_tcp_nodelay(true);
    set_keep_alive_max_count(std::size_t{1} << 30);
    set_keep_alive_timeout(3600);
    Post(".*", [this](const httplib::Request& request, httplib::Response& response) {
      forward(request, response);
    });
  }

  int bind(const std::string& host) {
    const int port = bind_to_any_port(host);
    if (port > 0) ::listen(svr_sock_, 1024);
    return port;
  }

 private:
  void forward(const httplib::Request& request, httplib::Response& response) {
    given_.burn(turns_);
    if (dose_.sleep_us > 0) given_.sleep(dose_.sleep_us);
    given_.count();
    thread_local httplib::Client client = make_client();
    const auto result = client.Post(
        request.target, {}, request.body + std::string(dose_.pad_bytes, ' '), "application/json");
    if (!result) {
      response.status = 502;
      return;
    }
    response.status = result->status;
    response.set_content(result->body, result->get_header_value("Content-Type"));
  }

  httplib::Client make_client() const {
    httplib::Client client(upstream_);
    client.set_keep_alive(true);
    client.set_tcp_nodelay(true);
    return client;
  }

  std::string upstream_;
  const Dose& dose_;
  const std::int64_t turns_;
  Given& given_;
};

}  // namespace

int main(int argc, char** argv) {
  std::string upstream;
  Dose dose;
  CLI::App app("Forwards every request to one upstream with a known dose of work on top.",
               "tare-dose");
  app.add_option("--upstream", upstream, "Base URL of the upstream")->required();
  app.add_option("--cpu-us", dose.cpu_us, "CPU to burn for each request, us");
  app.add_option("--sleep-us", dose.sleep_us, "Time to sleep for each request, us");
  app.add_option("--memory-bytes", dose.memory_bytes, "Memory to hold, touched at the start");
  app.add_option("--pad-bytes", dose.pad_bytes, "Blanks to put behind each body");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  sigset_t stop_signals;
  sigemptyset(&stop_signals);
  sigaddset(&stop_signals, SIGTERM);
  sigaddset(&stop_signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &stop_signals, nullptr);

  // Filled with what no page sharing takes together.
  std::vector<std::uint64_t> held(dose.memory_bytes / sizeof(std::uint64_t));
  for (std::size_t i = 0; i < held.size(); ++i) held[i] = i * 6'364'136'223'846'793'005u + 1;

  Given given;
  Server server(upstream, dose, given);
  const int port = server.bind("127.0.0.1");
  if (port <= 0) {
    std::fprintf(stderr, "tare-dose: cannot listen on 127.0.0.1\n");
    return 1;
  }
  std::thread([&] {
    if (!server.listen_after_bind()) std::_Exit(1);
  }).detach();
  std::printf("http://127.0.0.1:%d\n", port);
  std::fflush(stdout);
  int signal = 0;
  sigwait(&stop_signals, &signal);
  given.report(dose);
  // What it held stays held to the end.
  std::_Exit(held.empty() || held.back() != 0 ? 0 : 1);
}
