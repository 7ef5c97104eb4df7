#include "raw_http.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <optional>
#include <stdexcept>

namespace tare::test {
namespace {

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

// False at the end of the stream, and after ten seconds of silence.
bool receive(int socket, std::string& buffer) {
  char chunk[65536];
  const auto got = ::recv(socket, chunk, sizeof chunk, 0);
  if (got > 0) buffer.append(chunk, static_cast<std::size_t>(got));
  return got > 0;
}

void limit_silence(int socket) {
  const timeval limit{10, 0};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  const int yes = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

std::size_t content_length(const std::string& head) {
  const char* const found = strcasestr(head.c_str(), "\r\ncontent-length:");
  return found == nullptr ? 0 : std::strtoul(found + 17, nullptr, 10);
}

// Takes one message from the front of `buffer`, reading on as needed.
std::optional<std::pair<std::string, std::string>> take_message(int socket, std::string& buffer,
                                                                bool has_body) {
  std::size_t end;
  while ((end = buffer.find("\r\n\r\n")) == std::string::npos) {
    if (!receive(socket, buffer)) return std::nullopt;
  }
  std::string head = buffer.substr(0, end + 4);
  const std::size_t size = has_body ? content_length(head) : 0;
  while (buffer.size() < head.size() + size) {
    if (!receive(socket, buffer)) return std::nullopt;
  }
  std::string body = buffer.substr(head.size(), size);
  buffer.erase(0, head.size() + size);
  return std::pair{std::move(head), std::move(body)};
}

}  // namespace

bool RawRequest::has_line(const std::string& line) const {
  return head.find("\r\n" + line + "\r\n") != std::string::npos;
}

RawUpstream::RawUpstream() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (listener_ < 0 || ::bind(listener_, generic, size) != 0 || ::listen(listener_, 128) != 0 ||
      ::getsockname(listener_, generic, &size) != 0) {
    throw std::runtime_error("cannot listen on loopback");
  }
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept_all(); });
}

RawUpstream::~RawUpstream() {
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  ::close(listener_);
  for (const int socket : sockets_) ::shutdown(socket, SHUT_RDWR);
  for (auto& connection : connections_) connection.join();
  for (const int socket : sockets_) ::close(socket);
}

std::string RawUpstream::url() const {
  return "http://127.0.0.1:" + std::to_string(port_);
}

void RawUpstream::reply_to(const std::string& target, std::string reply) {
  const std::lock_guard lock(mutex_);
  replies_[target] = std::move(reply);
}

std::vector<RawRequest> RawUpstream::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void RawUpstream::accept_all() {
  for (;;) {
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    limit_silence(socket);
    sockets_.push_back(socket);
    const int connection = static_cast<int>(sockets_.size());
    connections_.emplace_back([this, socket, connection] { serve(socket, connection); });
  }
}

void RawUpstream::serve(int socket, int connection) {
  std::string buffer;
  while (auto message = take_message(socket, buffer, true)) {
    auto& [head, body] = *message;
    const auto from = head.find(' ') + 1;
    const auto target = head.substr(from, head.find(' ', from) - from);
    std::string reply =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\n{\"ok\":1}";
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back({connection, std::move(head), std::move(body)});
      if (const auto set = replies_.find(target); set != replies_.end()) reply = set->second;
    }
    if (!send_all(socket, reply)) return;
  }
}

RawConnection::RawConnection(const std::string& url)
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const sockaddr_in address = loopback(std::atoi(url.c_str() + url.rfind(':') + 1));
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error("cannot connect to " + url);
  }
  limit_silence(socket_);
}

RawConnection::~RawConnection() {
  ::close(socket_);
}

std::string RawConnection::exchange(const std::string& request, bool has_body) {
  std::string buffer;
  if (!send_all(socket_, request)) return {};
  const auto message = take_message(socket_, buffer, has_body);
  return message ? message->first + message->second : buffer;
}

}  // namespace tare::test
