#include "tests/load/crowd.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "common/clock.h"
#include "tests/load/http.h"

namespace tare::load {

struct Crowd::Client {
  std::size_t number = 0;
  int socket = -1;
  std::string_view request;  // what is left to send
  bool busy = false;
  bool heard = false;  // something of the answer has come
  std::int64_t begun_ns = 0;
  std::unique_ptr<ResponseReader> reader;
};

Crowd::Crowd(const std::string& url, std::size_t clients)
    : port_(static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)))),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      buffer_(std::size_t{256} << 10) {
  for (std::size_t i = 0; i < clients; ++i) {
    clients_.push_back(std::make_unique<Client>());
    Client& client = *clients_.back();
    client.number = i;
    client.reader = std::make_unique<ResponseReader>(
        [this, i](std::string_view bytes) { events_->on_body(i, bytes); });
  }
}

Crowd::~Crowd() {
  for (const auto& client : clients_) disconnect(*client);
  ::close(epoll_);
}

void Crowd::run(const Events& events, std::int64_t give_up_ns) {
  events_ = &events;
  const auto since_ns = system_clock().monotonic_ns();
  std::size_t begun = begin_due(0, since_ns);
  std::array<epoll_event, 256> ready;
  while (busy_ > 0 || begun < clients_.size()) {
    const auto left_ns = give_up_ns - system_clock().monotonic_ns();
    if (left_ns <= 0) break;
    const int wait_ms = begun < clients_.size() ? 1 : static_cast<int>(left_ns / 1'000'000) + 1;
    const int count = ::epoll_wait(epoll_, ready.data(), ready.size(), wait_ms);
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = ready[static_cast<std::size_t>(i)];
      Client& client = *static_cast<Client*>(event.data.ptr);
      if ((event.events & EPOLLOUT) != 0) write(client);
      if ((event.events & ~static_cast<unsigned>(EPOLLOUT)) != 0 && client.socket >= 0) {
        read(client);
      }
    }
    begun = begin_due(begun, since_ns);
  }
  events_ = nullptr;
  for (const auto& client : clients_) {
    if (client->busy) fail(*client, "no answer in time");
  }
}

// Begins those whose time has come; how many have begun then.
std::size_t Crowd::begin_due(std::size_t begun, std::int64_t since_ns) {
  const auto passed_ns = system_clock().monotonic_ns() - since_ns;
  while (begun < clients_.size() && events_->spread_ns * static_cast<std::int64_t>(begun) <=
                                        passed_ns * static_cast<std::int64_t>(clients_.size())) {
    begin(*clients_[begun++]);
  }
  return begun;
}

std::size_t Crowd::open() const {
  return static_cast<std::size_t>(
      std::count_if(clients_.begin(), clients_.end(), [](const auto& c) {
        char byte = 0;
        return c->socket >= 0 && ::recv(c->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
               errno == EAGAIN;
      }));
}

std::int64_t Crowd::begun_ns(std::size_t client) const {
  return clients_[client]->begun_ns;
}

void Crowd::connect(Client& client) {
  client.socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (client.socket < 0) throw std::runtime_error("no more sockets: see ulimit -n");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port_);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(client.socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error(fmt::format("cannot connect: {}", std::strerror(errno)));
  }
  const int yes = 1;
  ::setsockopt(client.socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  epoll_event wanted{};
  // Edges: a socket is written and read until it blocks.
  wanted.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | static_cast<unsigned>(EPOLLET);
  wanted.data.ptr = &client;
  ::epoll_ctl(epoll_, EPOLL_CTL_ADD, client.socket, &wanted);
}

void Crowd::disconnect(Client& client) {
  if (client.socket < 0) return;
  // Closing alone would not end the watch while a process about to be started still has a copy.
  ::epoll_ctl(epoll_, EPOLL_CTL_DEL, client.socket, nullptr);
  ::close(client.socket);
  client.socket = -1;
}

void Crowd::begin(Client& client) {
  const auto request = events_->next(client.number);
  if (!request) return;
  if (client.socket < 0) connect(client);
  client.reader->reset();
  client.request = *request;
  client.heard = false;
  client.busy = true;
  ++busy_;
  client.begun_ns = system_clock().monotonic_ns();
  write(client);
}

void Crowd::write(Client& client) {
  while (client.busy && !client.request.empty()) {
    const auto sent = ::send(client.socket, client.request.data(), client.request.size(),
                             MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EAGAIN) return;
    if (sent < 0) return fail(client, std::strerror(errno));
    client.request.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void Crowd::read(Client& client) {
  for (;;) {
    const auto got = ::recv(client.socket, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) {
      const std::string why = got == 0 ? "the server closed" : std::strerror(errno);
      if (client.busy) return fail(client, client.heard ? why + " within an answer" : why);
      return disconnect(client);
    }
    if (!client.busy) return disconnect(client);
    client.heard = true;
    client.reader->take({buffer_.data(), static_cast<std::size_t>(got)});
    if (client.reader->is_broken()) return fail(client, "an answer that is no HTTP");
    if (client.reader->is_done()) return finish(client);
    // What was less than the buffer is all there was: an edge tells of more.
    if (static_cast<std::size_t>(got) < buffer_.size()) return;
  }
}

void Crowd::fail(Client& client, std::string_view why) {
  if (fault_.empty()) fault_ = why;
  ++failed_;
  --busy_;
  client.busy = false;
  disconnect(client);
  if (events_ != nullptr && failed_ < 100) begin(client);
}

void Crowd::finish(Client& client) {
  const auto took_ns = system_clock().monotonic_ns() - client.begun_ns;
  --busy_;
  client.busy = false;
  if (client.reader->status() != 200) {
    ++failed_;
    if (fault_.empty()) fault_ = fmt::format("status {}", client.reader->status());
  } else {
    ++answered_;
    events_->on_answer(client.number, took_ns);
  }
  if (client.reader->closes()) disconnect(client);
  begin(client);
}

}  // namespace tare::load
