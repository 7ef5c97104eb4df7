// What the harness's own client costs: `direct`'s requests by it and by a bare blocking socket
// client, in turns, against the same scripted upstream.
//
// Prints the median latency of both, the CPU a request of the calling thread and of the upstream,
// and the ratio of the medians: the harness may add at most three times. Exit code 1 beyond.
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "harness/client.h"
#include "harness/upstream.h"
#include "harness/workload.h"

namespace {

using namespace tare;

constexpr int turns = 100;
constexpr int requests_a_turn = 100;
constexpr double most_times = 3;

[[noreturn]] void give_up(const char* what) {
  std::perror(what);
  std::exit(1);
}

class BareClient {
 public:
  BareClient(const std::string& url, const std::string& body)
      : socket_(::socket(AF_INET, SOCK_STREAM, 0)),
        request_(fmt::format("POST /v1/responses HTTP/1.1\r\nHost: {}\r\nContent-Type: "
                             "application/json\r\nContent-Length: {}\r\n\r\n{}",
                             url.substr(7), body.size(), body)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<in_port_t>(std::stoi(url.substr(url.rfind(':') + 1))));
    const int on = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      give_up("connect");
    }
  }
  ~BareClient() { ::close(socket_); }
  BareClient(const BareClient&) = delete;
  BareClient& operator=(const BareClient&) = delete;

  void post() {
    for (std::size_t sent = 0; sent < request_.size();) {
      const auto n = ::send(socket_, request_.data() + sent, request_.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) give_up("send");
      sent += static_cast<std::size_t>(n);
    }
    reply_.clear();
    while (!is_whole()) {
      std::array<char, 16'384> part;
      const auto n = ::recv(socket_, part.data(), part.size(), 0);
      if (n <= 0) give_up("recv");
      reply_.append(part.data(), static_cast<std::size_t>(n));
    }
  }

 private:
  bool is_whole() const {
    const auto head = reply_.find("\r\n\r\n");
    const auto length = reply_.find("Content-Length: ");
    return head != reply_.npos && length < head &&
           reply_.size() - head - 4 >= std::strtoull(reply_.c_str() + length + 16, nullptr, 10);
  }

  int socket_;
  std::string request_;
  std::string reply_;
};

std::int64_t thread_cpu_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

struct Figures {
  std::vector<std::int64_t> latencies_ns;
  std::int64_t client_cpu_ns = 0;
  std::int64_t upstream_cpu_us = 0;

  double median_us() {
    std::ranges::sort(latencies_ns);
    return static_cast<double>(latencies_ns[latencies_ns.size() / 2]) / 1000;
  }
  void print(const char* name) {
    const auto count = static_cast<double>(latencies_ns.size());
    fmt::print("{:<8} median {:6.1f} us, CPU a request: client {:5.1f} us, upstream {:5.1f} us\n",
               name, median_us(), static_cast<double>(client_cpu_ns) / count / 1000,
               static_cast<double>(upstream_cpu_us) / count);
  }
};

void take_turn(Figures& figures, harness::Upstream& upstream, const std::function<void()>& post) {
  const auto client_ns = thread_cpu_ns();
  const auto upstream_us = upstream.cpu_us();
  for (int i = 0; i < requests_a_turn; ++i) {
    const auto begin_ns = system_clock().monotonic_ns();
    post();
    figures.latencies_ns.push_back(system_clock().monotonic_ns() - begin_ns);
  }
  figures.client_cpu_ns += thread_cpu_ns() - client_ns;
  figures.upstream_cpu_us += upstream.cpu_us() - upstream_us;
  upstream.take();
}

}  // namespace

int main() {
  const auto upstream = harness::start_upstream(system_clock());
  if (!upstream) give_up("upstream");
  const auto body = harness::make_body(harness::Task::logs, 0).text;
  const auto url = (*upstream)->url() + "/v1/responses";
  const std::atomic<int> never = 0;
  const auto client = harness::make_client(system_clock(), never);
  BareClient bare((*upstream)->url(), body);
  Figures own;
  Figures bares;
  for (int turn = -5; turn < turns; ++turn) {
    if (turn == 0) own = bares = {};
    take_turn(own, **upstream, [&] {
      if (client->post(url, body, 60).status != 200) give_up("the harness's client");
    });
    take_turn(bares, **upstream, [&] { bare.post(); });
  }
  own.print("harness");
  bares.print("bare");
  const double times = own.median_us() / bares.median_us();
  fmt::print("the harness's median is {:.2f} times the bare client's (at most {:.0f})\n", times,
             most_times);
  return times <= most_times ? 0 : 1;
}
