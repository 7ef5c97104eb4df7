// A listening socket that is handed over, so that a restart loses nothing.
#include <atomic>
#include <catch2/catch.hpp>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "proxy_fixture.h"
#include "raw_http.h"

using namespace std::string_literals;
using namespace tare;
using namespace tare::test;

namespace {

// Asks over and over, with one connection as long as the proxy keeps it. Counts what went wrong.
class Asking {
 public:
  explicit Asking(std::string url) : url_(std::move(url)) {}
  ~Asking() { stop(); }
  void stop() {
    stopping_ = true;
    if (thread_.joinable()) thread_.join();
  }
  int answered() const { return answered_; }
  int failed() const { return failed_; }

 private:
  void ask() {
    std::optional<Peer> peer;
    while (!stopping_) {
      if (!peer) peer.emplace(Peer::connect_to(url_));
      peer->send(post("/v1/responses", R"({"input":[]})"));
      const auto answer = peer->read_message();
      ++(answer.starts_with("HTTP/1.1 200 ") ? answered_ : failed_);
      if (answer.find("\r\nConnection: close\r\n") != std::string::npos || answer.empty()) {
        peer.reset();
      }
    }
  }

  std::string url_;
  std::atomic<bool> stopping_ = false;
  std::atomic<int> answered_ = 0;
  std::atomic<int> failed_ = 0;
  std::thread thread_{[this] { ask(); }};
};

}  // namespace

TEST_CASE("20 restarts under load with the socket handed over: no failed request") {
  const auto* const threads = GENERATE("1", "2");
  RawUpstream upstream;
  const Listener socket;
  auto proxy = std::make_unique<Proxy>(upstream.url(),
                                       std::vector<std::string>{"--threads", threads}, &socket);
  CHECK(proxy->url() == socket.url());
  std::vector<std::unique_ptr<Asking>> clients;
  for (int i = 0; i < 4; ++i) clients.push_back(std::make_unique<Asking>(socket.url()));
  for (int i = 0; i < 20; ++i) {
    auto next = std::make_unique<Proxy>(upstream.url(),
                                        std::vector<std::string>{"--threads", threads}, &socket);
    proxy = std::move(next);  // stops the old one and checks its exit code
  }
  for (const auto& client : clients) {
    const int before = client->answered();
    while (client->answered() == before && client->failed() == 0) std::this_thread::yield();
    client->stop();
    CHECK(client->failed() == 0);
  }
}

TEST_CASE("what is handed over and no listening socket is a usage error") {
  SubprocessOptions options;
  options.argv = {"/bin/sh",
                  "-c",
                  "exec 3</dev/null; LISTEN_PID=$$ LISTEN_FDS=1 exec \"$@\"",
                  "sh",
                  TARE_BIN_DIR "/tare-proxy",
                  "serve",
                  "--upstream",
                  "http://127.0.0.1:1"};
  const auto output = run_to_end(options, {}, std::chrono::minutes(1));
  REQUIRE(output);
  CHECK(output->status.code == 2);
  CHECK(output->err.find("LISTEN_FDS") != std::string::npos);
}
