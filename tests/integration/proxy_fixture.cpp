#include "proxy_fixture.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <catch2/catch.hpp>
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

std::string Peer::read_to_end() {
  while (receive()) {
  }
  return std::exchange(buffer_, {});
}

std::string Peer::read_message() {
  std::string head = read_head();
  const char* const found = strcasestr(head.c_str(), "\r\ncontent-length:");
  return found == nullptr ? head : head + read_bytes(std::strtoul(found + 17, nullptr, 10));
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

void Peer::close() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

void Peer::reset() {
  const linger now{1, 0};
  setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  close();
}

Listener::Listener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const sockaddr_in address = loopback(0);
  if (::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket_, 128) != 0) {
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

Proxy::Proxy(const std::string& upstream, const std::vector<std::string>& options)
    : process_(start(upstream, options)) {
  wait_for(output_, "line from the proxy");
  char line[200];
  const auto size = ::read(output_, line, sizeof line);
  url_.assign(line, size > 0 ? static_cast<std::size_t>(size) : 0);
  if (!url_.starts_with("http://127.0.0.1:") || !url_.ends_with('\n')) {
    throw std::runtime_error("the proxy did not become ready: " + url_ + log());
  }
  url_.pop_back();
}

Proxy::~Proxy() {
  const auto status = process_.stop(std::chrono::milliseconds(silence_ms));
  ::close(output_);
  // A sanitizer's finding is a failure too.
  if (status.code != 0) FAIL_CHECK("the proxy ended with " << status.text() << ": " << log());
  ::close(log_);
}

std::string Proxy::log() const {
  std::string text;
  char chunk[4096];
  for (off_t at = 0;;) {
    const auto got = ::pread(log_, chunk, sizeof chunk, at);
    if (got <= 0) return text;
    text.append(chunk, static_cast<std::size_t>(got));
    at += got;
  }
}

int Proxy::open_log() {
  return ::memfd_create("proxy-log", MFD_CLOEXEC);
}

Subprocess Proxy::start(const std::string& upstream, const std::vector<std::string>& options) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  output_ = ends[0];
  SubprocessOptions start;
  start.argv = {
      TARE_BIN_DIR "/tare-proxy", "serve", "--upstream", upstream, "--listen", "127.0.0.1:0"};
  start.argv.insert(start.argv.end(), options.begin(), options.end());
  start.stdout_fd = ends[1];
  start.stderr_file = "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(log_);
  start.dies_with_parent = true;
  auto process = Subprocess::start(start);
  ::close(ends[1]);
  if (!process) throw std::runtime_error(process.error().text());
  return std::move(*process);
}

std::string request(std::string_view method, std::string_view target, std::string_view body,
                    std::string_view fields) {
  std::string text;
  text.append(method).append(" ").append(target).append(" HTTP/1.1\r\nHost: client\r\n");
  text.append(fields);
  if (!body.empty()) text.append("Content-Length: " + std::to_string(body.size()) + "\r\n");
  return text.append("\r\n").append(body);
}

std::string post(std::string_view target, std::string_view body, std::string_view fields) {
  return request("POST", target, body, fields);
}

std::string reply(std::string_view body, std::string_view status) {
  std::string text("HTTP/1.1 ");
  text.append(status).append("\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n");
  return text.append(body);
}

std::string head_of(const std::string& message) {
  return message.substr(0, message.find("\r\n\r\n") + 4);
}

std::string body_of(const std::string& message) {
  return message.substr(message.find("\r\n\r\n") + 4);
}

}  // namespace tare::test
