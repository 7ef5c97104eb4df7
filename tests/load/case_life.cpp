// What becomes of the proxy's work when a client goes, when there is none, and when it is
// restarted.
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "common/files.h"
#include "common/subprocess.h"
#include "tests/load/bodies.h"
#include "tests/load/crowd.h"
#include "tests/load/http.h"
#include "tests/load/lab.h"

namespace tare::load {

namespace {

constexpr std::int64_t ms_ns = 1'000'000;

// Asks the arm for nothing but its CPU: how long after `from_ns` it still grew, watched for a
// while.
double last_work_ms(harness::StartedArm& arm, std::int64_t from_ns, std::int64_t watch_ns) {
  std::int64_t cpu = arm.sample().cpu_us.value_or(0);
  std::int64_t last_ns = from_ns;
  while (now_ns() < from_ns + watch_ns) {
    rest(0.002);
    const auto reading = arm.sample().cpu_us.value_or(0);
    if (reading != cpu) last_ns = now_ns();
    cpu = reading;
  }
  return static_cast<double>(last_ns - from_ns) / 1e6;
}

// Sends so many bytes of a request, waits, and breaks the connection off.
void hang_up_after(const std::string& url, std::string_view bytes, double pause_s) {
  Crowd crowd(url, 1);
  crowd.run({.next = [&, asked = false](std::size_t) mutable -> std::optional<std::string_view> {
              if (std::exchange(asked, true)) return std::nullopt;
              return bytes;
            }},
            now_ns() + static_cast<std::int64_t>(pause_s * 1e9));
}

struct Variant {
  std::string_view what;
  std::string request;
  double sent_share;
};

// A listening socket that outlives each of the processes that accept on it.
struct Socket {
  Socket() : descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(descriptor, generic, size) == 0 && ::listen(descriptor, 1024) == 0 &&
        ::getsockname(descriptor, generic, &size) == 0) {
      url = fmt::format("http://127.0.0.1:{}", ntohs(address.sin_port));
    }
  }
  ~Socket() { ::close(descriptor); }

  int descriptor;
  std::string url;
};

Result<Subprocess> start_on(const Socket& socket, Lab& lab, int number) {
  const std::string out = fmt::format("{}/restart-{}.out", lab.folder(), number);
  SubprocessOptions options;
  // As systemd hands a socket over.
  options.argv = {"/bin/sh",
                  "-c",
                  "exec 3<&0 </dev/null; LISTEN_PID=$$ LISTEN_FDS=1 exec \"$@\"",
                  "sh",
                  TARE_BIN_DIR "/tare-proxy",
                  "serve",
                  "--upstream",
                  lab.upstream().url()};
  options.stdin_fd = socket.descriptor;
  options.stdout_file = out;
  options.stderr_file = out + ".err";
  options.dies_with_parent = true;
  auto process = Subprocess::start(options);
  if (!process) return process;
  for (const auto until = now_ns() + 60'000 * ms_ns; now_ns() < until; rest(0.002)) {
    const auto line = read_file(out);
    if (line && line->ends_with('\n')) return process;
  }
  return fail(Error::timed_out("a restarted proxy did not become ready"));
}

}  // namespace

Result<Findings> hang_up(Lab& lab) {
  auto arm = lab.start_own("rewriting");
  if (!arm) return fail(arm.error());
  Findings findings;
  const std::size_t bytes = lab.pick<std::size_t>(5'000'000, 1'000'000);
  const std::vector<Variant> variants = {
      {"half of a 5 MB body sent", post("/v1/responses", large_body(bytes, 1)), 0.5},
      {"5 MB in outputs of 16 to 46 KB sent", post("/v1/responses", large_body(bytes, 2)), 1},
      {"one output of 5 MB sent", post("/v1/responses", huge_output(bytes)), 1}};
  for (const Variant& variant : variants) {
    double worst_ms = 0;
    for (const double pause_s : {0.002, 0.01, 0.02, 0.05, 0.1}) {
      const auto sent = static_cast<std::size_t>(static_cast<double>(variant.request.size()) *
                                                 variant.sent_share);
      hang_up_after((*arm)->base_url(), std::string_view(variant.request).substr(0, sent), pause_s);
      const double last = last_work_ms(**arm, now_ns(), lab.pick(600, 300) * ms_ns);
      findings.raw["idle_after_ms"].push_back({std::string(variant.what), pause_s, last});
      worst_ms = std::max(worst_ms, last);
    }
    findings.judge_time(fmt::format("client gone, {}: CPU idle after", variant.what), "<= 100 ms",
                        fmt::format("{:.0f} ms, the worst of 5", worst_ms), worst_ms <= 100);
  }
  rest(0.5);
  const double seconds = lab.pick(60.0, 1.0);
  const auto before = cpu_us(**arm);
  rest(seconds);
  const double used_ms = static_cast<double>(cpu_us(**arm) - before) / 1e3 * 60 / seconds;
  findings.raw["idle_ms_a_minute"] = used_ms;
  findings.judge_time("CPU of an idle proxy", "< 1 ms a minute",
                      fmt::format("{:.3f} ms a minute", used_ms), used_ms < 1);
  return findings;
}

Result<Findings> restarts(Lab& lab) {
  const Socket socket;
  const int count = lab.pick(20, 3);
  const std::size_t clients = lab.pick<std::size_t>(16, 4);
  auto proxy = start_on(socket, lab, 0);
  if (!proxy) return fail(proxy.error());
  std::atomic<bool> done = false;
  std::uint64_t answered = 0, failed = 0;
  std::string fault;
  std::thread load([&] {
    const std::string request = post("/v1/responses", small_body(0));
    Crowd crowd(socket.url, clients);
    crowd.run({.next = [&](std::size_t) -> std::optional<std::string_view> {
                if (done) return std::nullopt;
                return request;
              }},
              now_ns() + 300'000 * ms_ns);
    answered = crowd.answered();
    failed = crowd.failed();
    fault = crowd.fault();
  });
  std::optional<Error> trouble;
  for (int i = 1; i <= count && !trouble; ++i) {
    rest(lab.pick(0.2, 0.05));
    auto next = start_on(socket, lab, i);
    if (!next) {
      trouble = next.error();
      break;
    }
    const auto status = proxy->stop(std::chrono::seconds(60));
    if (!status.ok()) trouble = Error::crashed("the old proxy ended with " + status.text());
    proxy = std::move(next);
  }
  done = true;
  load.join();
  proxy->stop(std::chrono::seconds(60));
  if (trouble) return fail(*trouble);
  Findings findings;
  findings.raw = {{"restarts", count}, {"answered", answered}, {"failed", failed}};
  findings.judge(
      fmt::format("failed requests in {} restarts, {} clients without pause", count, clients), "0",
      fmt::format("{} of {}{}", failed, answered + failed, fault.empty() ? "" : ": " + fault),
      failed == 0 && answered > 0);
  return findings;
}

}  // namespace tare::load
