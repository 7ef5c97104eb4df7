#include "harness/readiness.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <vector>

namespace tare::harness {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

class Socket {
 public:
  Socket() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {}
  ~Socket() {
    if (fd_ >= 0) ::close(fd_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

const sockaddr* generic(const sockaddr_in& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

bool wait_for(int fd, short events, steady_clock::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
    if (left <= milliseconds(0)) return false;
    pollfd ready{fd, events, 0};
    const int n = ::poll(&ready, 1, static_cast<int>(left.count()));
    if (n > 0) return true;
    if (n == 0 || errno != EINTR) return false;
  }
}

bool connect_to(int fd, int port, steady_clock::time_point deadline) {
  const auto address = loopback(port);
  if (::connect(fd, generic(address), sizeof address) == 0) return true;
  if (errno != EINPROGRESS || !wait_for(fd, POLLOUT, deadline)) return false;
  int error_number = 0;
  socklen_t size = sizeof error_number;
  return ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error_number, &size) == 0 && error_number == 0;
}

}  // namespace

Result<int> free_port() {
  const Socket socket;
  auto address = loopback(0);
  socklen_t size = sizeof address;
  if (::bind(socket.fd(), generic(address), sizeof address) != 0 ||
      ::getsockname(socket.fd(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return fail(Error::io_errno("no free port on 127.0.0.1", errno));
  }
  return int{ntohs(address.sin_port)};
}

bool port_is_free(int port) {
  const Socket socket;
  const int yes = 1;  // connections that linger in TIME_WAIT are no listener
  ::setsockopt(socket.fd(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  const auto address = loopback(port);
  return ::bind(socket.fd(), generic(address), sizeof address) == 0;
}

bool accepts_connection(int port, milliseconds limit) {
  const Socket socket;
  return connect_to(socket.fd(), port, steady_clock::now() + limit);
}

std::optional<int> http_status(int port, std::string_view path, milliseconds limit) {
  const auto deadline = steady_clock::now() + limit;
  const Socket socket;
  if (!connect_to(socket.fd(), port, deadline)) return std::nullopt;
  const std::string request =
      fmt::format("GET {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\r\n", path, port);
  if (::send(socket.fd(), request.data(), request.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(request.size())) {
    return std::nullopt;
  }
  constexpr std::string_view shape = "HTTP/1.1 200";
  std::string reply;
  while (reply.size() < shape.size()) {
    if (!wait_for(socket.fd(), POLLIN, deadline)) return std::nullopt;
    std::array<char, 512> chunk;
    const ssize_t n = ::recv(socket.fd(), chunk.data(), chunk.size(), 0);
    if (n <= 0) return std::nullopt;
    reply.append(chunk.data(), static_cast<std::size_t>(n));
  }
  int status = 0;
  const char* const digits = reply.data() + shape.size() - 3;
  if (!reply.starts_with("HTTP/1.") ||
      std::from_chars(digits, digits + 3, status).ptr != digits + 3) {
    return std::nullopt;
  }
  return status;
}

std::optional<std::string> first_line(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string line;
  // A line that ends with the file may still grow.
  if (!std::getline(in, line) || in.eof()) return std::nullopt;
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

std::string last_lines(const std::filesystem::path& file, int lines) {
  constexpr std::streamoff most_bytes = 2000;
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in) return {};
  const std::streamoff size = in.tellg();
  in.seekg(std::max<std::streamoff>(0, size - most_bytes));
  std::vector<std::string> all;
  for (std::string line; std::getline(in, line);) {
    if (line.find_first_not_of(" \t\r") != std::string::npos) all.push_back(line);
  }
  std::string text;
  const auto wanted = static_cast<std::size_t>(lines);
  for (std::size_t i = all.size() > wanted ? all.size() - wanted : 0; i < all.size(); ++i) {
    if (!text.empty()) text += " | ";
    text += all[i];
  }
  return text;
}

}  // namespace tare::harness
