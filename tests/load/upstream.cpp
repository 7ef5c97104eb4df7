#include "tests/load/upstream.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <memory>
#include <queue>
#include <stdexcept>
#include <unordered_map>

#include "common/clock.h"
#include "tests/load/http.h"

namespace tare::load {

namespace {

constexpr std::string_view reply =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n"
    R"({"id":"resp_1","object":"response","output":[   ]})";
constexpr std::string_view stream_head =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
// About as long as a delta of a model's answer.
constexpr std::size_t event_bytes = 200;

std::int64_t number_in(std::string_view target, std::string_view name) {
  std::int64_t value = 0;
  if (const auto at = target.find(name); at != std::string_view::npos) {
    std::from_chars(target.data() + at + name.size(), target.data() + target.size(), value);
  }
  return value;
}

// "data: NUMBER TIME ...": when it was sent, so that its reader can tell how long it took.
std::string event(std::int64_t number) {
  std::string text = fmt::format("data: {} {} ", number, system_clock().monotonic_ns());
  text.append(event_bytes - text.size() - 2, 'x').append("\n\n");
  return fmt::format("{:x}\r\n{}\r\n", text.size(), text);
}

}  // namespace

std::string stream_target(std::string_view path, int events, int every_ms) {
  return fmt::format("{}?events={}&every_ms={}", path, events, every_ms);
}

class Upstream::Loop {
 public:
  Loop(Upstream& owner) : owner_(owner), epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
    watch(owner.listener_, EPOLLIN);
    watch(owner.stop_, EPOLLIN);
  }
  ~Loop() {
    for (const auto& [socket, peer] : peers_) ::close(socket);
    ::close(epoll_);
  }

  void run() {
    std::array<epoll_event, 256> ready;
    for (;;) {
      const int count = ::epoll_wait(epoll_, ready.data(), ready.size(), wait_ms());
      for (int i = 0; i < count; ++i) {
        const int socket = ready[static_cast<std::size_t>(i)].data.fd;
        if (socket == owner_.stop_) return;
        if (socket == owner_.listener_) {
          accept_all();
        } else {
          read_from(socket);
        }
      }
      send_events();
    }
  }

 private:
  struct Peer {
    std::uint64_t id = 0;
    std::string head;
    std::uint64_t body_left = 0;
    bool in_body = false;
    std::string target;
    std::int64_t events = 0;
    std::int64_t every_ns = 0;
    std::int64_t sent = 0;
  };
  struct Due {
    std::int64_t at_ns;
    int socket;
    std::uint64_t id;
    bool operator<(const Due& other) const { return at_ns > other.at_ns; }
  };

  void watch(int descriptor, unsigned events) {
    epoll_event wanted{};
    wanted.events = events;
    wanted.data.fd = descriptor;
    ::epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &wanted);
  }

  int wait_ms() const {
    if (due_.empty()) return -1;
    const auto left = due_.top().at_ns - system_clock().monotonic_ns();
    return left <= 0 ? 0 : static_cast<int>((left + 999'999) / 1'000'000);
  }

  void accept_all() {
    for (;;) {
      const int socket =
          ::accept4(owner_.listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (socket < 0) return;
      const int yes = 1;
      ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
      peers_[socket] = std::make_unique<Peer>();
      peers_[socket]->id = ++last_id_;
      watch(socket, EPOLLIN);
    }
  }

  // Closing alone would not end the watch while a process about to be started still has a copy.
  void drop(int socket) {
    peers_.erase(socket);
    ::epoll_ctl(epoll_, EPOLL_CTL_DEL, socket, nullptr);
    ::close(socket);
  }

  void read_from(int socket) {
    Peer& peer = *peers_.at(socket);
    const auto got = ::recv(socket, buffer_.data(), buffer_.size(), 0);
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) return drop(socket);
    std::string_view bytes(buffer_.data(), static_cast<std::size_t>(got));
    while (!bytes.empty() || (peer.in_body && peer.body_left == 0)) {
      if (!peer.in_body) {
        const std::size_t before = peer.head.size();
        peer.head.append(bytes);
        const auto end = peer.head.find("\r\n\r\n");
        if (end == std::string::npos) return;
        bytes.remove_prefix(end + 4 - before);
        peer.head.resize(end + 4);
        begin(peer);
      }
      const auto count = std::min<std::uint64_t>(peer.body_left, bytes.size());
      bytes.remove_prefix(count);
      peer.body_left -= count;
      if (peer.body_left > 0) return;
      peer.in_body = false;
      answer(socket, peer);
    }
  }

  static void begin(Peer& peer) {
    const std::string_view length = field(peer.head, "content-length");
    peer.body_left = 0;
    std::from_chars(length.data(), length.data() + length.size(), peer.body_left);
    const auto begin = peer.head.find(' ') + 1;
    peer.target = peer.head.substr(begin, peer.head.find(' ', begin) - begin);
    peer.head.clear();
    peer.in_body = true;
  }

  // The replies are small beside a socket's buffer: what is not taken at once is not sent.
  void send(int socket, std::string_view text) {
    [[maybe_unused]] const auto sent = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
  }

  void answer(int socket, Peer& peer) {
    peer.events = number_in(peer.target, "events=");
    peer.every_ns = number_in(peer.target, "every_ms=") * 1'000'000;
    peer.sent = 0;
    if (peer.events == 0) return send(socket, reply);
    std::string first = std::string(stream_head) + event(peer.sent++);
    while (peer.every_ns == 0 && peer.sent < peer.events) first += event(peer.sent++);
    if (peer.sent == peer.events) first += "0\r\n\r\n";
    send(socket, first);
    if (peer.sent < peer.events) {
      due_.push({system_clock().monotonic_ns() + peer.every_ns, socket, peer.id});
    }
  }

  void send_events() {
    const auto now = system_clock().monotonic_ns();
    while (!due_.empty() && due_.top().at_ns <= now) {
      Due due = due_.top();
      due_.pop();
      const auto found = peers_.find(due.socket);
      if (found == peers_.end() || found->second->id != due.id) continue;
      Peer& peer = *found->second;
      send(due.socket, event(peer.sent++));
      if (peer.sent == peer.events) {
        send(due.socket, "0\r\n\r\n");
      } else {
        due.at_ns += peer.every_ns;
        due_.push(due);
      }
    }
  }

  Upstream& owner_;
  int epoll_;
  std::array<char, std::size_t{256} << 10> buffer_;
  std::unordered_map<int, std::unique_ptr<Peer>> peers_;
  std::priority_queue<Due> due_;
  std::uint64_t last_id_ = 0;
};

Upstream::Upstream()
    : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)),
      stop_(::eventfd(0, EFD_CLOEXEC)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener_, generic, size) != 0 || ::listen(listener_, SOMAXCONN) != 0 ||
      ::getsockname(listener_, generic, &size) != 0) {
    throw std::runtime_error("the upstream cannot listen");
  }
  url_ = fmt::format("http://127.0.0.1:{}", ntohs(address.sin_port));
  thread_ = std::thread([this] { std::make_unique<Loop>(*this)->run(); });
}

Upstream::~Upstream() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(stop_, &one, sizeof one);
  thread_.join();
  ::close(listener_);
  ::close(stop_);
}

}  // namespace tare::load
