#include "harness/readiness.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <string>
#include <thread>

#include "tests/support/temporary_folder.h"

namespace tare::harness {
namespace {

using namespace std::chrono_literals;

// Listens on a port of its own; answers one connection with the given bytes, if any.
class Listener {
 public:
  explicit Listener(std::string reply = {}) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    REQUIRE(::bind(fd_, reinterpret_cast<sockaddr*>(&address), size) == 0);
    REQUIRE(::listen(fd_, 4) == 0);
    REQUIRE(::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    port_ = ntohs(address.sin_port);
    if (reply.empty()) return;
    thread_ = std::thread([fd = fd_, reply, this] {
      const int connection = ::accept(fd, nullptr, nullptr);
      std::array<char, 1024> request{};
      if (::recv(connection, request.data(), request.size() - 1, 0) > 0) request_ = request.data();
      for (const char byte : reply) ::send(connection, &byte, 1, MSG_NOSIGNAL);
      ::close(connection);
    });
  }
  ~Listener() {
    if (thread_.joinable()) thread_.join();
    ::close(fd_);
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  int port() const { return port_; }
  const std::string& request() {
    thread_.join();
    return request_;
  }

 private:
  int fd_;
  int port_ = 0;
  std::thread thread_;
  std::string request_;
};

}  // namespace

TEST_CASE("a free port is one that nobody listens on") {
  const auto port = free_port();
  REQUIRE(port);
  CHECK(*port > 0);
  CHECK(port_is_free(*port));
  CHECK_FALSE(accepts_connection(*port, 1s));
  const Listener listener;
  CHECK_FALSE(port_is_free(listener.port()));
  CHECK(accepts_connection(listener.port(), 10s));
}

TEST_CASE("the status of a response is read, however it is cut into pieces") {
  Listener listener("HTTP/1.1 204 No Content\r\n\r\n");
  CHECK(http_status(listener.port(), "/health?x=1", 10s) == 204);
  CHECK_THAT(listener.request(), Catch::StartsWith("GET /health?x=1 HTTP/1.1\r\nHost: 127.0.0.1:"));
}

TEST_CASE("what is no HTTP response has no status, and neither has silence") {
  for (const char* reply : {"SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 abc", "HTTP/1.1 2"}) {
    const Listener listener(reply);
    CHECK_FALSE(http_status(listener.port(), "/", 10s));
  }
  const Listener silent;
  CHECK_FALSE(http_status(silent.port(), "/", 50ms));
  CHECK_FALSE(http_status(free_port().value(), "/", 1s));
}

TEST_CASE("a first line counts once its end is written") {
  const test::TemporaryFolder folder;
  const auto file = folder / "out";
  CHECK_FALSE(first_line(file));
  std::ofstream out(file, std::ios::binary);
  out << "http://127.0.0.1:80" << std::flush;
  CHECK_FALSE(first_line(file));
  out << "80\r\nmore" << std::flush;
  CHECK(first_line(file) == "http://127.0.0.1:8080");
}

TEST_CASE("the last lines of an output: the last ones that say something, bounded") {
  const test::TemporaryFolder folder;
  const auto file = folder / "err";
  CHECK(last_lines(file, 5).empty());
  REQUIRE(write_file(file, "one\ntwo\n\n  \nthree"));
  CHECK(last_lines(file, 2) == "two | three");
  CHECK(last_lines(file, 9) == "one | two | three");
  REQUIRE(write_file(file, std::string(100'000, 'x') + "\nlast\n"));
  CHECK(last_lines(file, 5).size() <= 2'010);
  CHECK_THAT(last_lines(file, 5), Catch::EndsWith(" | last"));
}

}  // namespace tare::harness
