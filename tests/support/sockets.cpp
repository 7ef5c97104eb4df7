#include "tests/support/sockets.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace tare::test {
namespace {

// A silence longer than this is a fault. Generous: sanitizers and busy machines are slow.
constexpr int silence_ms = 60'000;

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

void wait_for(int descriptor, const char* what) {
  pollfd waiting{descriptor, POLLIN, 0};
  if (::poll(&waiting, 1, silence_ms) != 1) throw std::runtime_error(std::string("no ") + what);
}

}  // namespace

std::size_t content_length(const std::string& head) {
  const char* const found = strcasestr(head.c_str(), "\r\ncontent-length:");
  return found == nullptr ? 0 : std::strtoul(found + 17, nullptr, 10);
}

Peer::Peer(int socket) : socket_(socket) {
  const int yes = 1;
  setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

Peer::~Peer() {
  close();
}

Peer::Peer(Peer&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), buffer_(std::move(other.buffer_)) {}

Peer Peer::connect_to(const std::string& url) {
  Peer peer(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = loopback(std::atoi(url.c_str() + url.rfind(':') + 1));
  if (::connect(peer.socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error("cannot connect to " + url);
  }
  return peer;
}

bool Peer::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::size_t Peer::send_until_stopped(std::size_t limit_bytes) {
  const std::string zeroes(65536, '\0');
  std::size_t taken = 0;
  pollfd ready{socket_, POLLOUT, 0};
  while (taken < limit_bytes && ::poll(&ready, 1, 500) == 1) {
    const auto sent = ::send(socket_, zeroes.data(), zeroes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN) break;
    if (sent > 0) taken += static_cast<std::size_t>(sent);
  }
  return taken;
}

bool Peer::receive() {
  wait_for(socket_, "bytes from the other side");
  char chunk[65536];
  const auto got = ::recv(socket_, chunk, sizeof chunk, 0);
  if (got > 0) buffer_.append(chunk, static_cast<std::size_t>(got));
  if (got < 0) reset_ = true;
  return got > 0;
}

std::string Peer::read_until(std::string_view end) {
  std::size_t at;
  while ((at = buffer_.find(end)) == std::string::npos) {
    if (!receive()) return std::exchange(buffer_, {});
  }
  std::string found = buffer_.substr(0, at + end.size());
  buffer_.erase(0, found.size());
  return found;
}

std::string Peer::read_bytes(std::size_t count) {
  while (buffer_.size() < count) {
    if (!receive()) return std::exchange(buffer_, {});
  }
  std::string found = buffer_.substr(0, count);
  buffer_.erase(0, count);
  return found;
}

std::string Peer::read_some() {
  if (buffer_.empty()) receive();
  return std::exchange(buffer_, {});
}

std::string Peer::read_to_end() {
  while (receive()) {
  }
  return std::exchange(buffer_, {});
}

std::string Peer::read_message() {
  std::string head = read_head();
  return head + read_bytes(content_length(head));
}

std::string Peer::exchange(std::string_view request) {
  send(request);
  return read_message();
}

std::string Peer::read_chunked() {
  std::string body;
  for (;;) {
    const std::string line = read_until("\r\n");
    if (!line.ends_with("\r\n")) throw std::runtime_error("a chunked body broke off: " + line);
    const auto size = std::strtoul(line.c_str(), nullptr, 16);
    if (size == 0) break;
    body += read_bytes(size);
    if (read_bytes(2) != "\r\n") throw std::runtime_error("a chunk does not end where it should");
  }
  for (std::string line = read_until("\r\n"); line != "\r\n"; line = read_until("\r\n")) {
    if (line.empty()) throw std::runtime_error("the trailers broke off");
    body += line;
  }
  return body;
}

void Peer::end_sending() {
  ::shutdown(socket_, SHUT_WR);
}

void Peer::shutdown() {
  ::shutdown(socket_, SHUT_RDWR);
}

void Peer::close() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

void Peer::reset() {
  const linger now{1, 0};
  setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  close();
}

Listener::Listener(int backlog) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const sockaddr_in address = loopback(0);
  if (::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket_, backlog) != 0) {
    throw std::runtime_error("cannot listen on loopback");
  }
}

Listener::~Listener() {
  ::close(socket_);
}

Peer Listener::accept() {
  wait_for(socket_, "connection");
  return Peer(::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC));
}

std::optional<Peer> Listener::accept_or_end() {
  const int socket = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
  return socket < 0 ? std::nullopt : std::optional<Peer>(socket);
}

void Listener::shutdown() {
  ::shutdown(socket_, SHUT_RDWR);
}

bool Listener::has_waiting() const {
  pollfd waiting{socket_, POLLIN, 0};
  return ::poll(&waiting, 1, 0) == 1;
}

std::string Listener::url() const {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
  return "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
}

}  // namespace tare::test
