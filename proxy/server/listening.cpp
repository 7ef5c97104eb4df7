#include "proxy/server/listening.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "proxy/server/host_port.h"
#include "proxy/server/upstream_url.h"

namespace tare::server {

namespace {

constexpr int first_handed_over = 3;  // SD_LISTEN_FDS_START

struct Address {
  sockaddr_storage storage{};
  socklen_t size = sizeof(sockaddr_storage);

  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

// The number of sockets handed over to this process.
int count_handed_over() {
  const char* pid = std::getenv("LISTEN_PID");
  const char* count = std::getenv("LISTEN_FDS");
  if (pid == nullptr || count == nullptr || pid != std::to_string(::getpid())) return 0;
  return std::atoi(count);
}

Address address_of(const ListenAddress& wanted) {
  Address result;
  if (auto* v4 = reinterpret_cast<sockaddr_in*>(&result.storage);
      ::inet_pton(AF_INET, wanted.address.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(wanted.port);
    result.size = sizeof(sockaddr_in);
    return result;
  }
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&result.storage);
  ::inet_pton(AF_INET6, wanted.address.c_str(), &v6->sin6_addr);
  v6->sin6_family = AF_INET6;
  v6->sin6_port = htons(wanted.port);
  result.size = sizeof(sockaddr_in6);
  return result;
}

int bind_and_listen(const ListenAddress& wanted) {
  Address address = address_of(wanted);
  const int descriptor =
      ::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return -1;
  const int yes = 1;
  if (::setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      ::bind(descriptor, address.get(), address.size) != 0 ||
      ::listen(descriptor, SOMAXCONN) != 0) {
    const int failure = errno;
    ::close(descriptor);
    errno = failure;
    return -1;
  }
  return descriptor;
}

Result<ListeningSocket> describe(int descriptor) {
  Address bound;
  if (::getsockname(descriptor, bound.get(), &bound.size) != 0) {
    return fail(Error::io_errno("the listening socket", errno));
  }
  char text[INET6_ADDRSTRLEN] = "";
  ListeningSocket result;
  result.descriptor = descriptor;
  if (bound.storage.ss_family == AF_INET6) {
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&bound.storage);
    ::inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof text);
    result.port = ntohs(v6->sin6_port);
    result.base_url = fmt::format("http://[{}]:{}", text, result.port);
  } else if (bound.storage.ss_family == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(&bound.storage);
    ::inet_ntop(AF_INET, &v4->sin_addr, text, sizeof text);
    result.port = ntohs(v4->sin_port);
    result.base_url = fmt::format("http://{}:{}", text, result.port);
  } else {
    return fail(Error::usage("LISTEN_FDS: the socket handed over is not one of TCP"));
  }
  result.address = text;
  result.v6 = bound.storage.ss_family == AF_INET6;
  result.loopback = is_loopback({result.address, {}, result.v6});
  return result;
}

Result<ListeningSocket> take_handed_over() {
  int accepts = 0;
  socklen_t size = sizeof accepts;
  if (::getsockopt(first_handed_over, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &size) != 0 ||
      accepts == 0) {
    return fail(Error::usage("LISTEN_FDS: descriptor 3 is no listening socket"));
  }
  ::fcntl(first_handed_over, F_SETFD, FD_CLOEXEC);
  ::fcntl(first_handed_over, F_SETFL, ::fcntl(first_handed_over, F_GETFL) | O_NONBLOCK);
  return describe(first_handed_over);
}

}  // namespace

Result<ListeningSocket> open_listening_socket(const std::string& address, std::string_view option) {
  const auto wanted = parse_listen_address(address, option);
  if (!wanted) return fail(wanted.error());
  const int descriptor = bind_and_listen(*wanted);
  if (descriptor < 0) {
    return fail(Error::io_errno(
        fmt::format("cannot listen on {}:{}", wanted->address, wanted->port), errno,
        fmt::format("choose another port with {}; port 0 takes a free one", option)));
  }
  return describe(descriptor);
}

Result<ListeningSocket> take_or_open_listening_socket(const std::string& address,
                                                      std::string_view option) {
  const int handed_over = count_handed_over();
  if (handed_over > 1) return fail(Error::usage("LISTEN_FDS: more than one socket"));
  if (handed_over == 1) return take_handed_over();
  return open_listening_socket(address, option);
}

}  // namespace tare::server
