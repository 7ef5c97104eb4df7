#include "proxy_fixture.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <stdexcept>

namespace tare::test {
namespace {

// How long the proxy may take to start and to stop. Generous: sanitizers and busy machines are
// slow.
constexpr int patience_ms = 60'000;

}  // namespace

Proxy::Proxy(const std::string& upstream, const std::vector<std::string>& options,
             const Listener* handed_over)
    : process_(start(upstream, options, handed_over)) {
  pollfd waiting{output_, POLLIN, 0};
  if (::poll(&waiting, 1, patience_ms) != 1) throw std::runtime_error("no line from the proxy");
  char line[200];
  const auto size = ::read(output_, line, sizeof line);
  url_.assign(line, size > 0 ? static_cast<std::size_t>(size) : 0);
  if (!url_.starts_with("http://") || !url_.ends_with('\n')) {
    throw std::runtime_error("the proxy did not become ready: " + url_ + log());
  }
  url_.pop_back();
}

Proxy::~Proxy() {
  const auto status = process_.stop(std::chrono::milliseconds(patience_ms));
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

Subprocess Proxy::start(const std::string& upstream, const std::vector<std::string>& options,
                        const Listener* handed_over) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  output_ = ends[0];
  SubprocessOptions start;
  if (handed_over != nullptr) {
    // As systemd does it.
    start.argv = {"/bin/sh", "-c", "exec 3<&0 </dev/null; LISTEN_PID=$$ LISTEN_FDS=1 exec \"$@\"",
                  "sh"};
    start.stdin_fd = handed_over->descriptor();
  }
  start.argv.insert(start.argv.end(),
                    {TARE_BIN_DIR "/tare-proxy", "serve", "--upstream", upstream});
  if (std::find(options.begin(), options.end(), "--listen") == options.end()) {
    start.argv.insert(start.argv.end(), {"--listen", "127.0.0.1:0"});
  }
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
  text.append(method).append(" ").append(target).append(" HTTP/1.1\r\nHost: localhost\r\n");
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
